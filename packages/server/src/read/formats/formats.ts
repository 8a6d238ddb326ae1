import { plainJson, plainNumber } from '../../base/domain/common/plain-json.ts'
import { geojsonPositions } from './geojson.ts'
import { jsonPositions, ndjsonPositions } from './json.ts'
import {
  attributeCells,
  attributeHeadings,
  type Columns,
  namesOf,
  type PositionForm,
  type ShownAttributes,
} from './position-format.ts'
import { MAX_SHEET_ROWS, sheetPositions } from './xlsx.ts'
import { GPX_POINTS, GPX_TRACKS, kmlPositions } from './xml.ts'

/** The formats of answers, and the types by which `Accept` names them. The first one wins a tie. */
export const MEDIA_TYPES = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  geojson: 'application/geo+json',
  gpx: 'application/gpx+xml',
  kml: 'application/vnd.google-earth.kml+xml',
} as const

export type Format = keyof typeof MEDIA_TYPES

/** The formats of an operation that has no rows. */
export const JSON_ALONE: readonly Format[] = ['json']
/** Formats of rows without coordinates. */
export const TABLE_FORMATS = ['json', 'ndjson', 'csv', 'xlsx'] as const satisfies Format[]
/** Formats of rows with coordinates. */
export const MAP_FORMATS = [...TABLE_FORMATS, 'geojson'] as const satisfies Format[]
/** Formats of positions. */
export const POSITION_FORMATS = [...MAP_FORMATS, 'gpx', 'kml'] as const satisfies Format[]

const PARAMETERS: Partial<Record<Format, string>> = {
  json: '; charset=utf-8',
  csv: '; charset=utf-8; header=present',
}

/** The rows that an answer may have. */
export function maxRowsIn(format: Format): number {
  return format === 'xlsx' ? MAX_SHEET_ROWS : Number.POSITIVE_INFINITY
}

/** The other formats are UTF-8 by their definition. */
export function contentTypeOf(format: Format): string {
  return MEDIA_TYPES[format] + (PARAMETERS[format] ?? '')
}

/** Whether an answer has many positions of each object, or one. */
export type PositionLayout = 'tracks' | 'points'

type FormOf = (columns: Columns, layout: PositionLayout) => PositionForm

const FORMS: Record<Format, FormOf> = {
  json: (columns) => jsonPositions(columns),
  ndjson: ndjsonPositions,
  csv: csvPositions,
  xlsx: sheetPositions,
  geojson: geojsonPositions,
  gpx: (_columns, layout) => (layout === 'tracks' ? GPX_TRACKS : GPX_POINTS),
  kml: kmlPositions,
}

/** The forms of answers without attributes, by format, layout and columns. */
const withoutAttributes = new Map<string, PositionForm>()
/** The forms of answers with these attributes, in the same way. */
const withAttributes = new WeakMap<ShownAttributes, Map<string, PositionForm>>()

/** How a format writes positions. The form of the same arguments is made once. */
export function positionForm(
  format: Format,
  layout: PositionLayout,
  columns: Columns,
): PositionForm {
  const { hasQuality, isExact, attributes } = columns
  const key = `${format} ${layout} ${hasQuality} ${isExact}`
  const forms = attributes === null ? withoutAttributes : formsOf(attributes)
  const known = forms.get(key)
  if (known !== undefined) return known
  const form = FORMS[format](columns, layout)
  forms.set(key, form)
  return form
}

function formsOf(attributes: ShownAttributes): Map<string, PositionForm> {
  const forms = withAttributes.get(attributes) ?? new Map<string, PositionForm>()
  withAttributes.set(attributes, forms)
  return forms
}

const QUOTE = 34
const LINE_END = '\r\n'

/** RFC 4180 with a header. A null is an empty cell. */
function csvPositions(columns: Columns): PositionForm {
  const names = namesOf(columns)
  const fields = names.map((name, index) => {
    const before = index === 0 ? '' : ','
    return { name, before, after: '', none: before }
  })
  const { attributes } = columns
  const headings = attributes === null ? [] : attributeHeadings(attributes)
  return {
    head: csvLine([...names, ...headings]),
    tail: '',
    between: '',
    ...(attributes === null
      ? { fields: [...fields, LINE_END] }
      : { fields, attributes: attributeCells(attributes, CSV_CELLS, LINE_END) }),
    openObject: () => '',
    closeObject: '',
    hasUnseen: true,
    text: csvText,
    writeText: writeCsvText,
  }
}

const CSV_CELLS = { text: csvText, time: (text: string) => text, none: '' }

/** A line of cells that are already written. */
export function csvLine(cells: readonly string[]): string {
  return cells.join(',') + LINE_END
}

/** An empty text has quotes, so that it is not a null. */
export function csvText(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A row of values by their columns. Lists and objects become JSON. `text`: how texts are written. */
export function csvRow(
  columns: readonly string[],
  row: Readonly<Record<string, unknown>>,
  text = csvText,
): string {
  const cell = (value: unknown) => {
    if (value === null || value === undefined) return ''
    if (typeof value === 'string') return text(value)
    if (typeof value === 'number') return plainNumber(value)
    return typeof value === 'object' ? csvText(plainJson(value)) : String(value)
  }
  return csvLine(columns.map((name) => cell(row[name])))
}

const SPECIAL = new Set(Buffer.from('",\r\n'))

function writeCsvText(
  out: Uint8Array,
  at: number,
  utf8: Uint8Array,
  from: number,
  to: number,
): number {
  let end = at
  let isSpecial = from === to
  for (let i = from; i < to; i++) isSpecial ||= SPECIAL.has(utf8[i]!)
  if (isSpecial) out[end++] = QUOTE
  for (let i = from; i < to; i++) {
    const byte = utf8[i]!
    if (byte === QUOTE) out[end++] = QUOTE
    out[end++] = byte
  }
  if (isSpecial) out[end++] = QUOTE
  return end
}
