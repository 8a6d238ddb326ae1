import { parseJson, writeArray, writeArrays } from '../../base/domain/common/plain-json.ts'
import type { Steps } from '../../base/domain/common/steps.ts'
import { cutLine, cutRing, isAcross } from '../../base/domain/places/antimeridian-cut.ts'
import type { LonLat } from '../../base/domain/places/place.ts'
import { jsonFields, jsonPositions } from './json.ts'
import { attributeProperties, type Columns, namesOf, type PositionForm } from './position-format.ts'

/** RFC 7946: one point for each position. All other fields are its properties. */
export function geojsonPositions(columns: Columns): PositionForm {
  const properties = namesOf(columns).filter((name) => name !== 'latitude' && name !== 'longitude')
  const { attributes } = columns
  const fields: PositionForm['fields'] = [
    '{"type":"Feature","geometry":',
    { name: 'longitude', before: '{"type":"Point","coordinates":[', after: ',', none: 'null' },
    { name: 'latitude', before: '', after: ']}', none: '' },
    ',"properties":{',
    ...jsonFields(properties),
  ]
  return {
    ...jsonPositions(columns),
    ...GEOJSON_AROUND,
    ...(attributes === null
      ? { fields: [...fields, FEATURE_END] }
      : { fields, attributes: attributeProperties(attributes, FEATURE_END) }),
  }
}

const FEATURE_END = '}}'

export type Geometry = { type: string; coordinates: unknown }

export function pointOf(longitude: unknown, latitude: unknown): Geometry {
  return { type: 'Point', coordinates: [longitude, latitude] }
}

/** The line, cut where it crosses the antimeridian (RFC 7946, 3.1.9). */
export function lineOf(line: LonLat[]): Geometry {
  const parts = cutLine(line)
  return parts.length === 1
    ? { type: 'LineString', coordinates: parts[0] }
    : { type: 'MultiLineString', coordinates: parts }
}

/** The polygon of a ring, or the polygons of one that crosses the antimeridian. */
export function polygonOf(ring: LonLat[]): Geometry {
  const parts = cutRing(ring)
  return parts.length === 1
    ? { type: 'Polygon', coordinates: parts }
    : { type: 'MultiPolygon', coordinates: parts.map((part) => [part]) }
}

/** The JSON of the same. `ring`: that of the ring. */
export function* polygonText(ring: string): Steps<string> {
  if (yield* mayBeAcross(ring)) {
    const texts: string[] = []
    for (const part of cutRing((yield* parseJson(ring)) as LonLat[])) {
      texts.push(yield* writeArray(part))
    }
    return texts.length === 1
      ? `{"type":"Polygon","coordinates":[${texts[0]}]}`
      : `{"type":"MultiPolygon","coordinates":[[${texts.join('],[')}]]}`
  }
  const first = ring.slice(1, ring.indexOf(']') + 1)
  const closed = ring.endsWith(`,${first}]`) ? ring : `${ring.slice(0, -1)},${first}]`
  return `{"type":"Polygon","coordinates":[${closed}]}`
}

/** The JSON of lines, cut in the same way. */
export function* linesText(lines: string): Steps<string> {
  const given = (yield* mayBeAcross(lines)) ? ((yield* parseJson(lines)) as LonLat[][]) : []
  const isAnyAcross = given.some(isAcross)
  const text = isAnyAcross ? yield* writeArrays(given.flatMap(cutLine)) : lines
  return `{"type":"MultiLineString","coordinates":${text}}`
}

/** Characters that one step looks through. */
const STEP_CHARACTERS = 16 * 1024
/** Characters that the beginnings of a position have. */
const BEGINNING = 5
const BEGINNINGS = [/\[\d/, /\[-/, /\[-?(?:9\d|1\d\d)/]

/** Whether the JSON has longitudes of both signs, and one beyond 90 degrees: an edge across the antimeridian needs them. */
function* mayBeAcross(positions: string): Steps<boolean> {
  let missing = BEGINNINGS
  for (let from = 0; from < positions.length; from += STEP_CHARACTERS) {
    const part = positions.slice(from, from + STEP_CHARACTERS + BEGINNING)
    missing = missing.filter((beginning) => !beginning.test(part))
    if (missing.length === 0) return true
    yield
  }
  return false
}

export const GEOJSON_AROUND = {
  head: '{"type":"FeatureCollection","features":[\n',
  tail: '\n]}\n',
  between: ',\n',
} as const
