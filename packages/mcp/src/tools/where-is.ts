import * as z from 'zod'
import { placeOf } from './place-of.ts'
import { tool, vehicleIds } from './tool.ts'

export const whereIs = tool({
  name: 'where_is',
  title: 'Where is a vehicle',
  description:
    'The last known position of vehicles, or with `at` the newest one at or before that moment. Null fields: the vehicle has none. Uses up 1 of the daily quota of each.',
  input: z.object({
    ids: vehicleIds,
    at: z.iso.datetime({ offset: true }).optional().describe('a moment in the past'),
  }),
  async answer(fleet, { ids, at }, signal) {
    const rows =
      at === undefined
        ? await fleet.positions.latest(ids, { signal })
        : await fleet.positions.at(at, ids, { signal })
    return { vehicles: rows.map(placeOf) }
  },
})
