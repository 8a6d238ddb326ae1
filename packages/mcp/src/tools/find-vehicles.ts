import * as z from 'zod'
import { bounded, limit, tool } from './tool.ts'

export const findVehicles = tool({
  name: 'find_vehicles',
  title: 'Find vehicles',
  description:
    'Vehicles whose name, ident, plate number or VIN contains a text, in upper or lower case; without a text all. Uses up no quota.',
  input: z.object({ text: z.string().min(1).max(100).optional(), limit }),
  async answer(fleet, { text, limit }, signal) {
    const found = await fleet.objects.list({ signal, ...(text !== undefined && { text }) })
    const { rows, more } = bounded(found, limit)
    return {
      count: found.length,
      more,
      vehicles: rows.map(({ id, name, ident, time_device: last_position_at }) => ({
        ...{ id, name, ident, last_position_at },
      })),
    }
  },
})
