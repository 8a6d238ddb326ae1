import { jsonFields, jsonPositions } from './json.ts'
import { type Columns, namesOf, type PositionForm } from './position-form.ts'

/** RFC 7946: one point for each position. All other fields are its properties. */
export function geojsonPositions(columns: Columns): PositionForm {
  const properties = namesOf(columns).filter((name) => name !== 'latitude' && name !== 'longitude')
  return {
    ...jsonPositions(columns),
    ...GEOJSON_AROUND,
    fields: [
      '{"type":"Feature","geometry":',
      { name: 'longitude', before: '{"type":"Point","coordinates":[', after: ',', none: 'null' },
      { name: 'latitude', before: '', after: ']}', none: '' },
      ',"properties":{',
      ...jsonFields(properties),
      '}}',
    ],
  }
}

export type Geometry = { type: string; coordinates: unknown }

export function pointOf(longitude: unknown, latitude: unknown): Geometry {
  return { type: 'Point', coordinates: [longitude, latitude] }
}

/** GeoJSON repeats the first point of a ring at its end (RFC 7946, 3.1.6). */
export function polygonOf(ring: readonly (readonly (number | null)[])[]): Geometry {
  const [first, last] = [ring[0], ring.at(-1)]
  const isClosed = first?.[0] === last?.[0] && first?.[1] === last?.[1]
  return { type: 'Polygon', coordinates: [isClosed ? ring : [...ring, first]] }
}

/** The JSON of a polygon. `ring`: that of its ring. */
export function polygonText(ring: string): string {
  const first = ring.slice(1, ring.indexOf(']') + 1)
  const closed = ring.endsWith(`,${first}]`) ? ring : `${ring.slice(0, -1)},${first}]`
  return `{"type":"Polygon","coordinates":[${closed}]}`
}

/** The JSON of lines. */
export function linesText(lines: string): string {
  return `{"type":"MultiLineString","coordinates":${lines}}`
}

export const GEOJSON_AROUND = {
  head: '{"type":"FeatureCollection","features":[\n',
  tail: '\n]}\n',
  between: ',\n',
} as const
