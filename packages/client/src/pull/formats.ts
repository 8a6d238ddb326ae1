import type { Position } from '../types.ts'
import { asExcelText, withoutFormulas } from './spreadsheet.ts'

/** How positions are written to a file that grows. New rows overwrite the tail. */
export type Format = {
  head: string
  /** One row. `isFirst`: it is the first in its file. */
  row(position: Position, isFirst: boolean): string
  tail: string
}

const COLUMNS = [
  ...(['id', 'ident', 'name', 'latitude', 'longitude', 'altitude', 'angle', 'speed'] as const),
  ...(['time_server', 'time_device', 'engine_hours', 'odometer', 'mileage', 'address'] as const),
] satisfies (keyof Position)[]

export const FORMATS = {
  /** The API's own rows, one on each line. */
  ndjson: {
    head: '',
    row: (position) => `${JSON.stringify(position)}\n`,
    tail: '',
  },
  /** For spreadsheets: a text that they would run as a formula gets an apostrophe. */
  csv: csv(withoutFormulas),
  /** RFC 7946: one FeatureCollection, a Point for each position, with all else as its properties. */
  geojson: {
    head: '{"type":"FeatureCollection","features":[\n',
    row: (position, isFirst) => `${isFirst ? '' : ',\n'}${JSON.stringify(featureOf(position))}`,
    tail: '\n]}\n',
  },
} satisfies Record<string, Format>

export type FormatName = keyof typeof FORMATS

const CSV_FORMS = {
  guarded: FORMATS.csv,
  /** Texts exactly as the API sends them. */
  raw: csv((text) => text),
  /** With a byte order mark, without which Excel reads UTF-8 as the local character set. */
  excel: csv(asExcelText, '\u{feff}'),
}

/** How texts are written in CSV. Other formats keep them unchanged. */
export type CsvForm = keyof typeof CSV_FORMS

export function formatOf(name: FormatName, form: CsvForm): Format {
  return name === 'csv' ? CSV_FORMS[form] : FORMATS[name]
}

/** A time as the API sends it. */
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** RFC 4180 with a header and `\n` line ends. Null is an empty cell. */
function csv(textOf: (text: string) => string, mark = ''): Format {
  function cell(column: (typeof COLUMNS)[number], value: string | number | null): string {
    if (value === null || typeof value === 'number') return `${value ?? ''}`
    // For Excel, a time stays a time. A hostile server can send any text in its place.
    const isTime = column.startsWith('time_') && TIME.test(value)
    const text = isTime ? value : textOf(String(value))
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return {
    head: `${mark}${COLUMNS.join(',')}\n`,
    row: (position) => `${COLUMNS.map((column) => cell(column, position[column])).join(',')}\n`,
    tail: '',
  }
}

function featureOf({ latitude, longitude, ...properties }: Position): object {
  const geometry = { type: 'Point', coordinates: [longitude, latitude] }
  return { type: 'Feature', geometry, properties }
}
