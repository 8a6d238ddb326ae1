import type { Position } from '../types.ts'
import { withoutFormulas } from './spreadsheet.ts'

/** How positions are written to a file, which may be added to: the tail is written over. */
export type Format = {
  head: string
  /** One row; `isFirst` in its file. */
  row(position: Position, isFirst: boolean): string
  tail: string
}

const COLUMNS = [
  ...(['id', 'ident', 'name', 'latitude', 'longitude', 'altitude', 'angle', 'speed'] as const),
  ...(['time_server', 'time_device', 'engine_hours', 'odometer', 'mileage', 'address'] as const),
] satisfies (keyof Position)[]

export const FORMATS = {
  /** The API's own rows, one a line. */
  ndjson: {
    head: '',
    row: (position) => `${JSON.stringify(position)}\n`,
    tail: '',
  },
  /** For spreadsheets: a text that they would run as a formula has an apostrophe before it. */
  csv: csv(withoutFormulas),
  /** RFC 7946: one FeatureCollection, a Point for each position, with all else as its properties. */
  geojson: {
    head: '{"type":"FeatureCollection","features":[\n',
    row: (position, isFirst) => `${isFirst ? '' : ',\n'}${JSON.stringify(featureOf(position))}`,
    tail: '\n]}\n',
  },
} satisfies Record<string, Format>

export type FormatName = keyof typeof FORMATS

/** `isRaw`: with each text as the API sends it. The formats other than CSV are always so. */
export function formatOf(name: FormatName, isRaw: boolean): Format {
  return isRaw && name === 'csv' ? RAW_CSV : FORMATS[name]
}

const RAW_CSV = csv((text) => text)

/** RFC 4180 with a header and lines that end in `\n`; null is an empty cell. */
function csv(textOf: (text: string) => string): Format {
  function cell(value: string | number | null): string {
    if (value === null || typeof value === 'number') return `${value ?? ''}`
    const text = textOf(String(value))
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return {
    head: `${COLUMNS.join(',')}\n`,
    row: (position) => `${COLUMNS.map((column) => cell(position[column])).join(',')}\n`,
    tail: '',
  }
}

function featureOf({ latitude, longitude, ...properties }: Position): object {
  const geometry = { type: 'Point', coordinates: [longitude, latitude] }
  return { type: 'Feature', geometry, properties }
}
