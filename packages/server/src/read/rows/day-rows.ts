import type {
  AttributeEntry,
  StoredAttribute,
} from '../../base/domain/attributes/attribute-catalogue.ts'
import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import {
  type DistanceUnit,
  type Organization,
  type RetainedObjects,
  shownFromIn,
} from '../../base/domain/organization.ts'
import { localDays } from '../../base/domain/time/time-zone.ts'
import type { ObjectDay } from '../../engine/journeys/days/day-totals.ts'
import type { DaysSelection } from '../../engine/journeys/days/read-days.ts'
import { withSummaries } from '../encode/record-rows.ts'
import { DAY_FIELDS, DAY_TEXT } from '../encode/report-fields.ts'
import { rowOf, tableOf } from '../encode/row-fields.ts'
import type { RowKind } from '../encode/rows.ts'
import type { DaysQuery } from '../parameters/days-query.ts'
import { noTextAttribute, type Refusal } from '../refusal.ts'

/** The entries whose attributes each row has, and the one whose texts have rows. */
export type ShownDays = {
  readonly entries: readonly StoredAttribute[] | null
  readonly by: AttributeEntry | null
}

export type DaysRange = Pick<DaysSelection, 'days' | 'from' | 'until' | 'keptFrom'>

const WHOLE_DAY = { ...tableOf(DAY_FIELDS), dayRow: rowOf(DAY_FIELDS) }
const DAY_FIELDS_BY_TEXT = { ...DAY_FIELDS, ...DAY_TEXT }
const DAY_BY_TEXT = {
  ...tableOf(DAY_FIELDS_BY_TEXT),
  dayRow: rowOf(DAY_FIELDS_BY_TEXT),
}

/** In zones west of UTC the first moment that a position can have belongs to this day. */
const FIRST_DAY = -1

/** The asked days. They hide all expired positions, purged already or not. */
export function daysRange(
  organization: Organization,
  objects: RetainedObjects,
  { dates, timeZone }: Pick<DaysQuery, 'dates' | 'timeZone'>,
  now: number,
): DaysRange {
  const days = localDays(timeZone)
  const keptFrom = shownFromIn(organization, objects, now)
  const startOf = (day: number) => days.startOf(Math.max(day, FIRST_DAY))
  return { days, keptFrom, from: startOf(dates.from), until: startOf(dates.to + 1) }
}

/** The entry of texts that a request names. */
export function textEntry(
  entries: readonly StoredAttribute[],
  name: string | undefined,
): StoredAttribute | null | Refusal {
  if (name === undefined) return null
  const found = entries.find((entry) => entry.name === name)
  return found?.type === 'text' ? found : noTextAttribute(name)
}

/** How days of these objects are written. */
export function dayKind(
  all: ReadonlyMap<number, { readonly object: MonitoredObject }>,
  unit: DistanceUnit,
  { entries, by }: ShownDays,
): RowKind<ObjectDay> {
  const { dayRow, ...table } = by === null ? WHOLE_DAY : DAY_BY_TEXT
  const row = (day: ObjectDay) => dayRow({ day, object: all.get(day.object)!.object }, unit)
  const kind: RowKind<ObjectDay> = { ...table, row }
  return entries === null ? kind : withSummaries(kind, entries, 'all', (day) => day.attributes!)
}
