import * as z from 'zod'
import { bySkip, fitted } from '../fitted.ts'
import { contains, searched } from '../searched.ts'
import { ToolFault } from '../tool-fault.ts'
import { named, silence } from '../vehicles.ts'
import { clockOf, part, tool } from './tool.ts'

export const findVehicles = tool({
  name: 'find_vehicles',
  title: 'Find vehicles',
  description: `Finds vehicles by a part of their name, plate, ident (number of the device) or VIN. Case, spaces, punctuation and accents do not matter: "bxy12" finds B-XY 12. Without a text: all vehicles. Gives their ids, which the other tools take, and no coordinates: ask where_is for them.
last_position_at: the time of the last position, null if there was none. no_signal_since: only where the vehicle has been silent for longer than it may be.
Charges no quota.`,
  input: z.strictObject({
    text: z.string().min(1).max(100).optional().describe('a part of a name, plate, ident or VIN'),
    without_signal: z
      .boolean()
      .default(false)
      .describe('true: only vehicles that have no signal now, or never had one'),
    ...part,
  }),
  async answer(question, { text, without_signal, limit, skip }) {
    const { fleet, times, now } = question
    const wanted = searched(text ?? '')
    if (text !== undefined && wanted === '') {
      throw new ToolFault('text must contain a letter or a digit. Omit it for all vehicles.')
    }
    const all = [...(await fleet.vehicles(true)).values()]
    const found = all.flatMap((vehicle) => {
      const { name, ident, vehicle_data: data, time_device } = vehicle
      if (!contains([name, ident, data.plate_number, data.vin], wanted)) return []
      const silent = silence(vehicle, question, now)
      if (without_signal && Object.keys(silent).length === 0) return []
      const last_position_at = times.shownOrNull(time_device)
      return [{ ...named(vehicle), ident, vin: data.vin, last_position_at, ...silent }]
    })
    const head = {
      ...clockOf(question),
      count: found.length,
      vehicles_of_the_organization: all.length,
      ...(found.length === 0 && {
        note: 'No vehicle matches. Ask with a shorter part of its name or plate.',
      }),
    }
    return fitted(head, 'vehicles', found, { skip, limit, rest: bySkip('write more of the text') })
  },
})
