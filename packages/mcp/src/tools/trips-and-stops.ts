import * as z from 'zod'
import { firstOf, limit, range, tool } from './tool.ts'

export const tripsAndStops = tool({
  name: 'trips_and_stops',
  title: 'Trips and stops',
  description:
    'The trips and stops of one vehicle in a range of time, such as a day: where and when they began and ended, distance, speeds, durations in seconds. Uses up 2 of its daily quota.',
  input: z.object({ id: z.int().positive().describe('the id of a vehicle'), ...range, limit }),
  async answer(fleet, { id, from, to, limit }, signal) {
    const asked = { from, to, ids: [id], pageSize: limit + 1, signal }
    const trips = await firstOf(fleet.trips(asked), limit)
    const stops = await firstOf(fleet.stops(asked), limit)
    return {
      trips: trips.rows,
      more_trips: trips.more,
      stops: stops.rows,
      more_stops: stops.more,
    }
  },
})
