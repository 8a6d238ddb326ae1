import { NotFoundError } from '@fleetgate/client'
import * as z from 'zod'
import { DAY_MS } from '../../../server/src/base/domain/time/time.ts'
import { type By, GROUPS, type Group, shownSums, summed } from '../day-sums.ts'
import { bySkip, fitted } from '../fitted.ts'
import type { Vehicles } from '../fleets.ts'
import { exhaustedPart, skippingExhausted } from '../skipping.ts'
import { ToolFault } from '../tool-fault.ts'
import { namedOf, unknownIds } from '../vehicles.ts'
import { clockOf, part, tool, vehicleId } from './tool.ts'
import { unknownVehicles } from './where-is.ts'

const MAX_IDS = 200
const MAX_ATTRIBUTES = 10
/** Rows of vehicles and days that are summed at once. */
const MAX_GROUPS = 20_000
const date = z.string().regex(/^\d{4}-\d\d-\d\d$/, 'write a date, such as 2026-11-20')
const ORDERS = [
  'distance',
  'trips',
  'moving_seconds',
  'idle_seconds',
  'silent_seconds',
  'max_speed',
] as const

export const dayTotals = tool({
  name: 'day_totals',
  title: 'Totals of days',
  description: `Distance, trips and times of one vehicle, several or all, in a range of dates. A day lasts from midnight to midnight in the time zone of the organization; the way between two positions counts on the day of the second one, and a trip on the day on which it began.
by "vehicle": one row for each vehicle, the highest value of order first; "day": one row for each date over all these vehicles; "vehicle_and_day": one for each vehicle and date. total is of all vehicles and days, also where rows are left out.
distance is in distance_unit, max_speed in it per hour. stopped_seconds are only those between the first and last position of a day; silent_seconds: without a signal while the vehicle changed its place, in none of the other times. Vehicles and days without positions have no row; vehicles_without_positions counts them. unknown_ids: ids that are not vehicles of this organization.
attributes: of each number that you name its smallest and largest value, of a counter, such as used fuel, also gain: how much it rose in these days; of a level, such as fuel in a tank, used, filled and drained. where_is shows the names.
Charges 1 of the daily quota of each vehicle with positions; another call for the rest charges again.`,
  input: z.strictObject({
    ids: z.array(vehicleId).min(1).max(MAX_IDS).optional().describe('default: all vehicles'),
    from: date.describe('the first date, such as 2026-11-20'),
    to: date.describe('the last date, included'),
    by: z.enum(GROUPS).default('vehicle'),
    attributes: z
      .array(z.string())
      .min(1)
      .max(MAX_ATTRIBUTES)
      .optional()
      .describe('attributes to add, such as fuel_used; default: none'),
    order: z.enum(ORDERS).default('distance').describe('with by="vehicle": the highest first'),
    ...part,
  }),
  async answer(question, { ids, from, to, by, attributes, order, limit, skip }) {
    const { fleet, times, now, unit, signal } = question
    const span = times.span(from, to)
    const unknown = ids === undefined ? [] : await unknownIds(fleet, ids)
    const own = ids?.filter((id) => !unknown.includes(id))
    if (own?.length === 0) throw unknownVehicles(ids!)
    const vehicles = await fleet.vehicles()
    const asked = own === undefined ? vehicles.size : new Set(own).size
    const days = Math.ceil((span.to - span.from) / DAY_MS)
    if (by === 'vehicle_and_day') checkRows(asked * days)
    const { read, exhausted } = await skippingExhausted(async (skipExhausted) => {
      const range = { from, to, timeZone: times.zone, skipExhausted, signal }
      const chosen = { ...(own && { ids: own }), ...(attributes && { attributes }) }
      try {
        return await summed(by, fleet.api.days({ ...range, ...chosen }))
      } catch (error) {
        throw error instanceof NotFoundError && own !== undefined ? unknownVehicles(own) : error
      }
    })
    const { groups, total, seen } = read
    const head = {
      ...clockOf(question),
      ...{ from, to, distance_unit: unit },
      total: { vehicles: seen.size, ...shownSums(total) },
      // One that was left out for its quota may have positions or none.
      vehicles_without_positions: exhausted.length > 0 ? null : Math.max(0, asked - seen.size),
      ...(unknown.length > 0 && { unknown_ids: unknown }),
      ...exhaustedPart(exhausted, now),
    }
    const rows = ordered(by, order, [...groups.values()]).map((group) =>
      groupRow(by, group, vehicles),
    )
    const rest = bySkip("ask for fewer dates or ids, or with by='day'")
    return fitted(head, 'rows', rows, { skip, limit, rest })
  },
})

/** The rows of one vehicle and day are all in memory, and so are their sums. */
function checkRows(rows: number): void {
  if (rows <= MAX_GROUPS) return
  throw new ToolFault(
    `by='vehicle_and_day' could have ${rows} rows, and at most ${MAX_GROUPS} are summed. Ask for fewer dates or ids, or with by='vehicle' or by='day'.`,
  )
}

function ordered(by: By, order: (typeof ORDERS)[number], groups: Group[]): Group[] {
  if (by === 'day') return groups.sort((a, b) => a.first.date.localeCompare(b.first.date))
  if (by === 'vehicle_and_day') return groups
  const rankOf = (group: Group) => shownSums(group)[order] ?? -1
  return groups.sort((a, b) => rankOf(b) - rankOf(a))
}

function groupRow(by: By, group: Group, vehicles: Vehicles): object {
  const { first, days } = group
  const { object_id, name, date } = first
  if (by === 'day') return { date, vehicles: days, ...shownSums(group) }
  const vehicle = namedOf(object_id, name, vehicles)
  return by === 'vehicle'
    ? { ...vehicle, days, ...shownSums(group) }
    : { date, ...vehicle, ...shownSums(group) }
}
