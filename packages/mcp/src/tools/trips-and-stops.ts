import { NotFoundError, type Stop, type Trip } from '@fleetgate/client'
import * as z from 'zod'
import { shownSums, summed } from '../day-sums.ts'
import { bySkip, fitted } from '../fitted.ts'
import { allOf } from '../rows.ts'
import { namedOf, silenceSince } from '../vehicles.ts'
import { clockOf, part, type Question, range, tool, vehicleId } from './tool.ts'
import { unknownVehicles } from './where-is.ts'

export const tripsAndStops = tool({
  name: 'trips_and_stops',
  title: 'Trips and stops',
  description: `The trips and stops of one vehicle in a range of time, in one list by their start. Trips and stops that reach beyond the range are included whole.
kind "trip": driven from start to end; kind "stop"; kind "silent_trip": there was no signal between start and end, so only the two ends and the distance by the odometer, possibly 0, are known, not when the vehicle drove nor which way. end null: not over at the last position; seconds are those so far; no_signal_since: nothing is known since then. silent_for_seconds: in this stop or trip the longest time without a signal.
distance is in distance_unit, speeds are in it per hour. Places are an address, or latitude and longitude. The counts cover the whole range, even if rows are left out. The distance above the rows is that of the dates, from midnight to midnight; it is absent if from or to is a time. Do not add the rounded distances of rows: ask day_totals, also for many vehicles.
Charges 2 of the daily quota of the vehicle, and 1 more for dates; another call for the rest charges again.`,
  input: z.strictObject({ id: vehicleId, ...range, ...part }),
  async answer(question, { id, from, to, limit, skip }) {
    const { fleet, times, unit, signal } = question
    const { from: first, to: last } = times.span(from, to)
    const asked = { from: new Date(first), to: new Date(last), ids: [id], signal }
    const { trips, stops } = await readBoth(question, asked, id)
    const rows = [
      ...trips.map((trip) => ({ at: trip.start_time, row: tripRow(trip, question) })),
      ...stops.map((stop) => ({ at: stop.start_time, row: stopRow(stop, question) })),
    ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
    const silent = trips.filter(isSilent).length
    const name = (trips[0] ?? stops[0])?.name ?? (await fleet.vehicles()).get(id)?.name ?? ''
    const head = {
      ...clockOf(question),
      ...{ from: times.shown(first), to: times.shown(last), distance_unit: unit },
      vehicle: namedOf(id, name, await fleet.vehicles()),
      trips: trips.length - silent,
      silent_trips: silent,
      stops: stops.length,
      ...(DATE.test(from) && DATE.test(to) && (await distanceOf(question, { from, to, id }))),
      ...(rows.length === 0 && { note: 'The vehicle has no positions in this range.' }),
    }
    const inOrder = rows.map(({ row }) => row)
    const rest = bySkip('ask for a shorter range')
    return fitted(head, 'rows', inOrder, { skip, limit, rest })
  },
})

const DATE = /^\d{4}-\d\d-\d\d$/

/** The distance of dates. Rows have rounded distances, whose sum is another. */
async function distanceOf(
  { fleet, times, signal }: Question,
  { from, to, id }: { from: string; to: string; id: number },
): Promise<{ distance: number | null }> {
  const days = fleet.api.days({ from, to, timeZone: times.zone, ids: [id], signal })
  const { distance } = shownSums((await summed('vehicle', days)).total)
  return { distance }
}

async function readBoth(
  { fleet: { api } }: Question,
  asked: Parameters<typeof api.trips>[0],
  id: number,
): Promise<{ trips: Trip[]; stops: Stop[] }> {
  try {
    const trips = await allOf(api.trips(asked))
    return { trips, stops: await allOf(api.stops(asked)) }
  } catch (error) {
    throw error instanceof NotFoundError ? unknownVehicles([id]) : error
  }
}

/** A silent trip is silent from its start to its end. */
function isSilent({ silent_time, duration }: Trip): boolean {
  return silent_time > 0 && silent_time >= duration
}

function tripRow(trip: Trip, question: Question): object {
  const { start_latitude, start_longitude, end_latitude, end_longitude } = trip
  const isOver = end_latitude !== null && end_longitude !== null
  return {
    kind: isSilent(trip) ? 'silent_trip' : 'trip',
    ...spanOf(trip, question),
    from: placeText(trip.start_address, start_latitude, start_longitude),
    to: isOver ? placeText(trip.end_address, end_latitude, end_longitude) : null,
    distance: trip.distance,
    seconds: trip.duration,
    ...(!isSilent(trip) && {
      ...{ moving_seconds: trip.moving_time, idle_seconds: trip.idle_time },
      ...{ max_speed: trip.max_speed, average_speed: trip.average_speed },
      ...gapOf(trip, question),
    }),
  }
}

function stopRow(stop: Stop, question: Question): object {
  return {
    kind: 'stop',
    ...spanOf(stop, question),
    at: placeText(stop.address, stop.latitude, stop.longitude),
    seconds: stop.duration,
    engine_on_seconds: stop.idle_time,
    ...gapOf(stop, question),
  }
}

function spanOf({ start_time, end_time, duration }: Trip | Stop, question: Question): object {
  const { times, now } = question
  const newest = Date.parse(start_time) + duration * 1_000
  return {
    start: times.shown(start_time),
    end: times.shownOrNull(end_time),
    ...(end_time === null && silenceSince(newest, question, now)),
  }
}

/** The silence inside of a record. */
function gapOf({ longest_gap }: Trip | Stop, { fleet }: Question): object {
  return longest_gap * 1_000 > fleet.maximumGapMs ? { silent_for_seconds: longest_gap } : {}
}

function placeText(address: string | null, latitude: number, longitude: number): string {
  return address ?? `${latitude}, ${longitude}`
}
