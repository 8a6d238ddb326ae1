import type { Position } from '../types.ts'

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
  /** RFC 4180 with a header, lines that end in `\n`; what is null is empty. */
  csv: {
    head: `${COLUMNS.join(',')}\n`,
    row: (position) => `${COLUMNS.map((column) => cell(position[column])).join(',')}\n`,
    tail: '',
  },
  /** RFC 7946: one FeatureCollection, a Point for each position, with all else as its properties. */
  geojson: {
    head: '{"type":"FeatureCollection","features":[\n',
    row: (position, isFirst) => `${isFirst ? '' : ',\n'}${JSON.stringify(featureOf(position))}`,
    tail: '\n]}\n',
  },
} satisfies Record<string, Format>

export type FormatName = keyof typeof FORMATS

function cell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function featureOf({ latitude, longitude, ...properties }: Position): object {
  const geometry = { type: 'Point', coordinates: [longitude, latitude] }
  return { type: 'Feature', geometry, properties }
}
