import type { Steps } from '../../../domain/steps.ts'
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
  /** The JSON of a row that may be long, in steps. */
  write?(item: Item): Steps<string>
  /** Where the thing is. Absent: the kind has no place on the map. */
  geometry?(row: Row, item: Item): Geometry | null
  /** The fields that the geometry has. */
  readonly inGeometry?: readonly string[]
}

/** The text around rows, and that of a row. */
export type RowForm<Item> = {
  readonly head: string
  readonly between: string
  readonly tail: string
  row(item: Item): string
  /** The text of a row in steps, if it may be long. */
  write?: ((item: Item) => Steps<string>) | undefined
}

/** How a format writes rows of a kind. The kinds have no form in formats of positions. */
export function rowForm<Item>(format: Format, kind: RowKind<Item>): RowForm<Item> {
  const { columns, row, json = (item) => JSON.stringify(row(item)), write } = kind
  switch (format) {
    case 'json':
      return { ...JSON_AROUND, row: json, write }
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

const NOTHING = { head: '', between: '', tail: '' }

function feature<Item>({ row, geometry, inGeometry = [] }: RowKind<Item>, item: Item): string {
  const all = row(item)
  const properties = { ...all }
  for (const name of inGeometry) delete properties[name]
  return JSON.stringify({ type: 'Feature', geometry: geometry?.(all, item) ?? null, properties })
}
