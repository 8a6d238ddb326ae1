import { toJson } from '../../domain/common/json.ts'
import type { Steps } from '../../domain/common/steps.ts'
import { csvLine, csvRow } from './csv.ts'
import type { Format } from './formats.ts'
import { GEOJSON_AROUND, type Geometry } from './geojson.ts'
import { JSON_AROUND } from './json.ts'

export type Row = Readonly<Record<string, unknown>>

/** Rows of one kind, apart from positions. */
export type RowKind<Item> = {
  /** The fields of a row in their order. */
  readonly columns: readonly string[]
  row(item: Item): Row
  /** The JSON of a row, if there is a faster way to it. */
  json?(item: Item): string
  /** The location of the thing. Absent: the kind is not on the map. */
  geometry?(row: Row, item: Item): Geometry | null
  /** The fields that the geometry has. */
  readonly inGeometry?: readonly string[]
}

/** The JSON of lists by their fields. */
export type Lists = Readonly<Record<string, string>>

/** Rows with lists that may be long. */
export type LongRowKind<Item> = {
  readonly columns: readonly string[]
  /** The row with empty lists. */
  frame(item: Item): Row
  /** The lists in the row. */
  lists(item: Item): Steps<Lists>
  /** The JSON of the geometry. */
  geometry(lists: Lists): Steps<string>
  readonly inGeometry: readonly string[]
}

/** The text around rows. */
export type AroundRows = { readonly head: string; readonly between: string; readonly tail: string }

/** How rows are written. */
export type RowForm<Item> = AroundRows & { row(item: Item): string }

/** The same of rows that may be long. */
export type LongRowForm<Item> = AroundRows & { write(item: Item): Steps<string> }

export type AnyRowForm<Item> = RowForm<Item> | LongRowForm<Item>

/** How a format writes rows of a kind. The kinds have no form in formats of positions. */
export function rowForm<Item>(format: Format, kind: RowKind<Item>): RowForm<Item> {
  const { columns, row, json = (item) => toJson(row(item)) } = kind
  switch (format) {
    case 'json':
      return { ...JSON_AROUND, row: json }
    case 'ndjson':
      return { ...NOTHING, row: (item) => `${json(item)}\n` }
    case 'csv':
      return { ...NOTHING, head: csvLine(columns), row: (item) => csvRow(columns, row(item)) }
    case 'geojson':
      return { ...GEOJSON_AROUND, row: (item) => feature(kind, item) }
    default:
      throw new RangeError(`${format} is for positions`)
  }
}

/** The same of a kind with long rows. */
export function longRowForm<Item>(format: Format, kind: LongRowKind<Item>): LongRowForm<Item> {
  const { columns, frame, lists } = kind
  function form(
    around: AroundRows,
    text: (row: Row, lists: Lists) => string | Steps<string>,
  ): LongRowForm<Item> {
    return {
      ...around,
      *write(item) {
        const content = text(frame(item), yield* lists(item))
        return typeof content === 'string' ? content : yield* content
      },
    }
  }
  switch (format) {
    case 'json':
      return form(JSON_AROUND, filled)
    case 'ndjson':
      return form(NOTHING, (row, lists) => `${filled(row, lists)}\n`)
    case 'csv':
      return form({ ...NOTHING, head: csvLine(columns) }, (row, lists) =>
        csvRow(columns, { ...row, ...lists }),
      )
    case 'geojson':
      return form(GEOJSON_AROUND, (row, lists) => longFeature(kind, row, lists))
    default:
      throw new RangeError(`${format} is for positions`)
  }
}

const NOTHING = { head: '', between: '', tail: '' }

function feature<Item>({ row, geometry, inGeometry = [] }: RowKind<Item>, item: Item): string {
  const all = row(item)
  const properties = { ...all }
  for (const name of inGeometry) delete properties[name]
  return toJson({ type: 'Feature', geometry: geometry?.(all, item) ?? null, properties })
}

function* longFeature<Item>(
  { geometry, inGeometry }: LongRowKind<Item>,
  row: Row,
  lists: Lists,
): Steps<string> {
  const shown = <Value>(all: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !inGeometry.includes(name)))
  const properties = filled(shown(row), shown(lists))
  return `{"type":"Feature","geometry":${yield* geometry(lists)},"properties":${properties}}`
}

/** The JSON of a row, with these texts instead of its empty lists. */
export function filled(row: object, arrays: Readonly<Record<string, string>>): string {
  let text = toJson(row)
  for (const [name, array] of Object.entries(arrays)) {
    // No text of a user has this part: JSON escapes its quotes.
    const empty = `"${name}":[]`
    const at = text.lastIndexOf(empty)
    text = `${text.slice(0, at)}"${name}":${array}${text.slice(at + empty.length)}`
  }
  return text
}
