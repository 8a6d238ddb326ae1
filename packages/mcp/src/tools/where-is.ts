import { type LatestPosition, NotFoundError } from '@fleetgate/client'
import * as z from 'zod'
import { fitted } from '../fitted.ts'
import { exhaustedPart, skippingExhausted } from '../skipping.ts'
import { ToolFault } from '../tool-fault.ts'
import { unknownIds } from '../vehicles.ts'
import { POSITION_FIELDS, positionRow } from './position.ts'
import { clockOf, moment, type Question, tool, vehicleId } from './tool.ts'

/** Their rows fit into an answer, unless names and addresses are long: a vehicle that is charged should be shown. */
const MAX_IDS = 25

const ATTRIBUTE_FIELDS =
  'attributes: what else the vehicle sent, such as fuel or temperature, by the names of the organization; attributes_at: the time of a value that is older than the position. Absent: it sent none.'

export const whereIs = tool({
  name: 'where_is',
  title: 'Where is a vehicle',
  description: `The last known position of vehicles, or with \`at\` the newest one at or before that moment.
${POSITION_FIELDS} ${ATTRIBUTE_FIELDS} With \`at\`, no_signal_since is as of that moment.
unknown_ids: ids that are not vehicles of this organization. Charges 1 of the daily quota of each vehicle.`,
  input: z.strictObject({
    ids: z.array(vehicleId).min(1).max(MAX_IDS),
    at: moment
      .optional()
      .describe(
        'a date (2026-11-20: as of its end) or a time (2026-11-20T08:00) in the time zone of the organization; default: now',
      ),
  }),
  async answer(question, { ids, at }) {
    const { fleet, times, now, unit, signal } = question
    const asOf = at === undefined ? now : Math.min(times.end('at', at), now)
    const unknown = await unknownIds(fleet, ids)
    const own = ids.filter((id) => !unknown.includes(id))
    if (own.length === 0) throw unknownVehicles(ids)
    const { positions } = fleet.api
    const { read, exhausted } = await skippingExhausted(async (skipExhausted) => {
      const isSkipping = skipExhausted && own.length > 1
      const options = { signal, skipExhausted: isSkipping, attributes: 'all' } as const
      try {
        return at === undefined
          ? await positions.latest(own, options)
          : await positions.at(new Date(asOf), own, options)
      } catch (error) {
        throw error instanceof NotFoundError ? unknownVehicles(ids) : error
      }
    })
    const answered = new Set([...read.map(({ id }) => id), ...exhausted])
    // One may have been deleted since the list was read.
    const missing = [...unknown, ...own.filter((id) => !answered.has(id))]
    const vehicles = await fleet.vehicles()
    const head = {
      ...clockOf(question),
      ...(at !== undefined && { as_of: times.shown(asOf) }),
      distance_unit: unit,
      ...(missing.length > 0 && { unknown_ids: missing }),
      ...exhaustedPart(exhausted, now),
    }
    const rows = read.map((row) => ({
      ...positionRow(row, vehicles, question, asOf),
      ...attributesOf(row, question),
    }))
    const rest = (from: number) =>
      `Call again with these ids: ${read.slice(from).map(({ id }) => id)}.`
    return fitted(head, 'vehicles', rows, { skip: 0, limit: MAX_IDS, rest })
  },
})

/** The attributes of a row, with the times of those that its position did not have. */
function attributesOf(
  { attributes = {}, attributes_at: times = {}, time_device }: LatestPosition,
  question: Question,
): object {
  if (Object.keys(attributes).length === 0) return {}
  const older = Object.entries(times).filter(([, time]) => time !== time_device)
  const shown = older.map(([name, time]) => [name, question.times.shownOrNull(time)])
  return { attributes, ...(older.length > 0 && { attributes_at: Object.fromEntries(shown) }) }
}

export function unknownVehicles(ids: readonly number[]): ToolFault {
  const which =
    ids.length === 1
      ? `No vehicle has the id ${ids[0]}`
      : `None of the ids ${ids.join(', ')} is a vehicle`
  return new ToolFault(`${which} of this organization. find_vehicles gives ids.`)
}
