import type { AttributeEntry } from '../../base/domain/attributes/attribute-catalogue.ts'
import { numberOf } from '../../base/domain/attributes/shown-number.ts'
import { toJson } from '../../base/domain/common/plain-json.ts'
import type { RecordType } from '../../base/domain/item-rules.ts'
import type { LonLat } from '../../base/domain/places/place.ts'
import {
  type LevelSums,
  longestValues,
  type NumberSummary,
  type ShareSummary,
  type Summaries,
  type Summary,
} from '../../engine/journeys/days/attribute-spans.ts'
import type { OwnedRecord } from '../../engine/store/record-store.ts'
import { type Geometry, lineOf, pointOf } from '../formats/geojson.ts'
import { DECIMALS, rounded } from '../formats/number-format.ts'
import { partColumn } from '../formats/position-format.ts'
import {
  LEVEL_FIELDS,
  type RecordContext,
  type ShownRecord,
  STOP_FIELDS,
  TRIP_FIELDS,
  VISIT_FIELDS,
} from './record-fields.ts'
import { jsonOf, type RowFields, rowOf, tableOf } from './row-fields.ts'
import type { Row, RowKind } from './rows.ts'

const FIELDS = {
  trip: TRIP_FIELDS as RowFields<ShownRecord>,
  stop: STOP_FIELDS as RowFields<ShownRecord>,
  visit: VISIT_FIELDS as RowFields<ShownRecord>,
  level: LEVEL_FIELDS as RowFields<ShownRecord>,
}
const ROW_OF = {
  trip: rowOf(FIELDS.trip),
  stop: rowOf(FIELDS.stop),
  visit: rowOf(FIELDS.visit),
  level: rowOf(FIELDS.level),
}
const JSON_OF = {
  trip: jsonOf(FIELDS.trip),
  stop: jsonOf(FIELDS.stop),
  visit: jsonOf(FIELDS.visit),
  level: jsonOf(FIELDS.level),
}

/** A record as JSON text, with the documented fields in the documented order. */
export function encodeRecord(owned: OwnedRecord, context: RecordContext): string {
  return jsonOfShown(shownRecord(owned, context))
}

export function recordRow(owned: OwnedRecord, context: RecordContext): Row {
  return rowOfShown(shownRecord(owned, context))
}

function jsonOfShown(shown: ShownRecord): string {
  return JSON_OF[shown.record.kind](shown, shown.context.unit)
}

function rowOfShown(shown: ShownRecord): Row {
  return ROW_OF[shown.record.kind](shown, shown.context.unit)
}

export function shownRecord(
  owned: OwnedRecord,
  context: RecordContext,
  attributes?: Summaries,
): ShownRecord {
  return { owned, record: owned.record, context, object: context.object(owned.object), attributes }
}

const AT_POINT = ['latitude', 'longitude']

function pointIn({ longitude, latitude }: Row): Geometry {
  return pointOf(longitude, latitude)
}

export const RECORD_TABLES = {
  trips: tableOf(TRIP_FIELDS),
  stops: tableOf(STOP_FIELDS),
  visits: tableOf(VISIT_FIELDS),
  levels: tableOf(LEVEL_FIELDS),
}

/** A trip is the line from its start to its end, and a visit is at its place. */
function recordKind(type: RecordType): RowKind<ShownRecord> {
  const kind = { ...RECORD_TABLES[type], row: rowOfShown, json: jsonOfShown }
  switch (type) {
    case 'trips':
      return { ...kind, geometry: lineIn }
    case 'stops':
    case 'levels':
      return { ...kind, geometry: pointIn, inGeometry: AT_POINT }
    case 'visits':
      return {
        ...kind,
        geometry: (_row, { record, context }) =>
          record.kind === 'visit'
            ? (context.placeGeometry?.(record.placeType, record.place) ?? null)
            : null,
      }
  }
}

/** Records with the attributes of their times, for the entries that an answer shows. Null: it shows none. */
export function recordKindWith(
  type: RecordType,
  entries: readonly AttributeEntry[] | null,
): RowKind<ShownRecord> {
  const kind = recordKind(type)
  if (entries === null) return kind
  const parts = type === 'stops' ? 'ends' : 'all'
  return withSummaries(kind, entries, parts, ({ attributes }) => attributes!)
}

function lineIn(trip: Row): Geometry {
  const { start_longitude, start_latitude, end_longitude, end_latitude } = trip
  if (end_longitude === null) return pointOf(start_longitude, start_latitude)
  const ends = [
    [start_longitude, start_latitude],
    [end_longitude, end_latitude],
  ]
  return lineOf(ends as LonLat[])
}

/** The parts of a summary that rows show: at the ends of a stop, or all over the time of a trip or a day. */
type SummaryParts = 'ends' | 'all'

/** An attribute of a row, by the names of its parts. */
type Part = { readonly name: string; of(summary: Summary): unknown }

type Column = { readonly heading: string; value(summary: Summary): unknown }

/**
 * Rows with the attributes of their times: an object after the other fields, or columns in a table. `of`: those of an item,
 * by entry.
 */
export function withSummaries<Item>(
  kind: RowKind<Item>,
  entries: readonly AttributeEntry[],
  parts: SummaryParts,
  of: (item: Item) => Summaries,
): RowKind<Item> {
  const { columns, row, json = (item) => toJson(row(item)) } = kind
  const members = entries.map((entry) => partsOf(entry, parts))
  const cells = entries.map((entry) => columnsOf(entry, parts))
  return {
    ...kind,
    columns: [...columns, ...cells.flatMap((each) => each.map(({ heading }) => heading))],
    json(item) {
      const attributes: Record<string, Row> = {}
      for (const [index, summary] of of(item).entries()) {
        const shown = summary && shownParts(members[index]!, summary)
        if (shown !== null) attributes[entries[index]!.name] = shown
      }
      return `${json(item).slice(0, -1)},"attributes":${toJson(attributes)}}`
    },
    row(item) {
      const all: Record<string, unknown> = { ...row(item) }
      for (const [index, summary] of of(item).entries()) {
        if (summary === null) continue
        for (const { heading, value } of cells[index]!) all[heading] = value(summary)
      }
      return all
    },
  }
}

/** Null: the summary has none of these parts. */
function shownParts(parts: readonly Part[], summary: Summary): Row | null {
  const shown = parts.flatMap(({ name, of }) => {
    const value = of(summary)
    return value === null ? [] : [[name, value] as const]
  })
  return shown.length === 0 ? null : Object.fromEntries(shown)
}

function partsOf(entry: AttributeEntry, parts: SummaryParts): Part[] {
  if (entry.type !== 'number') return parts === 'all' ? [VALUES] : ENDS
  const number = (name: Exclude<keyof NumberSummary, 'sums'>): Part => ({
    name,
    of(summary) {
      const units = (summary as NumberSummary)[name]
      return units === null ? null : numberOf(units, entry)
    },
  })
  const sum = (name: keyof LevelSums): Part => ({
    name,
    of: (summary) => numberOf((summary as NumberSummary).sums![name], entry),
  })
  const names =
    parts === 'all' ? (['first', 'last', 'min', 'max'] as const) : (['first', 'last'] as const)
  const counted = entry.isCounter ? (['gain'] as const) : []
  return [...[...names, ...counted].map(number), ...(entry.isLevel ? SUMS.map(sum) : [])]
}

const SUMS = ['used', 'filled', 'drained'] as const

const ENDS: Part[] = [
  { name: 'first', of: (summary) => summary.first },
  { name: 'last', of: (summary) => summary.last },
]

const VALUES: Part = { name: 'values', of: (summary) => sharesOf(summary as ShareSummary) }

function sharesOf(summary: ShareSummary) {
  return longestValues(summary).map(({ value, share }) => ({
    value,
    share: rounded(share, DECIMALS.share),
  }))
}

/**
 * The columns of a table: one for each part; of several values first the one that was valid longest, then all of
 * them.
 */
function columnsOf(entry: AttributeEntry, parts: SummaryParts): Column[] {
  const hasValues = entry.type !== 'number' && parts === 'all'
  const all = [...(hasValues ? [LONGEST] : []), ...partsOf(entry, parts)]
  return all.map(({ name, of }) => ({ heading: partColumn(entry.name, name), value: of }))
}

const LONGEST: Part = {
  name: 'longest',
  of: (summary) => longestValues(summary as ShareSummary)[0]?.value ?? null,
}
