import { parseJson } from '../../../base/domain/common/plain-json.ts'
import { runInTurns, takeTurn } from '../../../base/domain/common/slots.ts'
import { SENT, sentValue } from '../../../base/domain/position/field-lists.ts'
import type { Source } from '../import-source.ts'
import {
  type Fault,
  fault,
  faultyRow,
  ImportMisuse,
  omittedRow,
  type Remarks,
  type Row,
  SourceUnreadable,
} from '../row.ts'
import {
  attributePicker,
  SPEED_UNITS,
  type SpeedUnit,
  unreadNumbers,
  withAttributes,
} from '../tables/cells.ts'
import { candidatesOf, checkMapping, type Layout } from '../tables/column-mapping.ts'
import { type JsonElement, JsonSplitter, LONGEST_ELEMENT } from './json-splitter.ts'
import { columnBinder, flatten } from './ndjson-rows.ts'
import { type Members, membersOf } from './phone-rows.ts'

/** The names of the standard's reference system in older GeoJSON. */
const WGS84 = /\b(?:CRS84|EPSG:+4326)$/

/**
 * The features of a GeoJSON FeatureCollection, or of a single Feature. The columns are a feature's
 * properties, its `id` and its `geometry`. The file is read whole, but each feature is parsed alone. Throws
 * `ImportMisuse` if the first feature is of another kind of import.
 */
export async function* readGeoJsonRows(
  source: Source,
  layout: Layout,
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const bind = columnBinder(layout, remarks)
  const chunks = await Array.fromAsync(source.bytes)
  let isKnown = false
  for await (const elements of featuresOf(chunks, source.name, remarks)) {
    const rows: Row[] = []
    for (const element of elements) {
      const feature = await featureIn(element)
      const columns = feature === null ? null : columnsOf(feature, remarks)
      if (columns !== null && !isKnown) layout.refuseOtherKind([...columns.keys()], source.name)
      isKnown ||= columns !== null
      rows.push(rowOf(element, columns === null ? null : bind(columns)))
    }
    yield rows
  }
}

/** The row of an element with its cells. Null if the element is not a Feature. */
function rowOf(element: JsonElement, cells: unknown[] | null): Row {
  const { line } = element
  const text = element.text.slice(0, 1000).replaceAll(/\s+/g, ' ')
  if (cells === null) return faultyRow(line, text, brokenElement(element, 'a GeoJSON Feature'))
  return { line, text, cells, fault: null, cutField: null }
}

/** The features in portions. The whole frame is checked first, so that a wrong file imports nothing. */
async function* featuresOf(
  chunks: readonly Uint8Array[],
  name: string,
  remarks: Remarks,
): AsyncGenerator<JsonElement[]> {
  const first = new JsonSplitter(['features'])
  for (const chunk of chunks) {
    first.feed(chunk)
    await takeTurn()
  }
  const frame = first.frame()
  if (frame === null) {
    throw new SourceUnreadable(
      `'${name}' is not GeoJSON: it has more than ${LONGEST_ELEMENT} bytes outside of the features of a collection`,
    )
  }
  const root = await parseObject(frame)
  if (!first.isFound() && root?.type === 'Feature') {
    yield [{ member: '', text: frame, line: 1, isCut: false, isTooLong: false }]
    return
  }
  if (!first.isFound()) {
    throw new SourceUnreadable(
      root === null
        ? `'${name}' is not JSON, or cut off before its first feature`
        : `'${name}' is not GeoJSON with features: its type is '${String(root.type)}', and must be FeatureCollection or Feature`,
    )
  }
  if (root === null) remarks.truncated = true
  else checkCollection(root, name)
  const features = new JsonSplitter(['features'])
  for (const chunk of chunks) {
    yield features.feed(chunk)
    await takeTurn()
  }
  const cut = features.end()
  if (cut !== null) yield [cut]
}

/** Throws `SourceUnreadable` if the object around the features is not a collection in WGS 84. */
export function checkCollection(root: Record<string, unknown>, name: string): void {
  if (root.type !== 'FeatureCollection') {
    throw new SourceUnreadable(
      `'${name}' is not GeoJSON: its type is '${String(root.type)}', and must be FeatureCollection`,
    )
  }
  const crs = (root.crs as { properties?: { name?: unknown } } | null | undefined)?.properties?.name
  if (crs !== undefined && !WGS84.test(String(crs))) {
    throw new SourceUnreadable(
      `'${name}' is in the reference system '${String(crs)}'; GeoJSON is in longitude and latitude of WGS 84`,
    )
  }
}

/** The object of a JSON text. Null if the text has no object. */
export async function parseObject(text: string): Promise<Record<string, unknown> | null> {
  try {
    const value = await runInTurns(parseJson(text))
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}

/** The Feature of an element. Null if the element is something else. */
async function featureIn(element: JsonElement): Promise<Record<string, unknown> | null> {
  if (element.isCut || element.isTooLong) return null
  const value = await parseObject(element.text)
  return value?.type === 'Feature' ? value : null
}

/** Why an element cannot be read. `expected`: the noun of what it should be. */
export function brokenElement({ isCut, isTooLong }: JsonElement, expected: string): Fault {
  if (isCut) return fault('truncated', 'the file ends within it')
  return fault(
    'malformed',
    isTooLong ? `it has more than ${LONGEST_ELEMENT} bytes` : `it is not ${expected}`,
  )
}

function columnsOf(feature: Record<string, unknown>, remarks: Remarks): Map<string, unknown> {
  const columns = flatten(feature.properties ?? {}, '', new Map())
  const id = feature.id ?? columns.get('id')
  columns.delete('id')
  if (id !== undefined && id !== null) {
    // A feature's id can be any text, and 0 is common. Other ids than whole numbers above 0 are ignored.
    if (/^[1-9]\d{0,15}$/.test(String(id))) columns.set('id', Number(id))
    else remarks.notes.add('features whose id is not a number of 1 or more: matched by name')
  }
  columns.set('geometry', feature.geometry ?? null)
  return columns
}

/** The caller's unit of speed, or null for that of the file, and km in a unit of the file's odometer. */
export type Units = { speedUnit: SpeedUnit | null; distance: number }

/**
 * Reads GeoJSON Features with a Point: the columns are their properties, and `latitude`, `longitude` and `altitude` of
 * the point. Speeds are meters per second, as phones write them, unless the properties are those of Fleetgate's own
 * answers.
 */
export function pointFeatures(name: string, layout: Layout, units: Units, remarks: Remarks) {
  const fields = withAttributes(layout.fields, layout.mapping)
  const bind = columnBinder({ ...layout, fields }, remarks)
  const attributesIn = attributePicker(fields)
  const unread = unreadNumbers(remarks)
  const numbers = SENT.map((sent) => ({
    ...sent,
    field: sent.name,
    factor: sent.unit === 'km' ? units.distance : 1,
    unknownBelowZero: sent.minimum >= 0,
  }))
  const indexes = new Map(layout.fields.map((field, at) => [field.name, at]))
  let isFirst = true
  let isFirstPoint = true

  function checkPoint(columns: readonly string[]): void {
    isFirstPoint = false
    checkMapping(layout.mapping, columns, name)
    const ident = layout.fields[indexes.get('ident')!]!
    if (candidatesOf(ident, columns, layout.mapping).length === 0) requireIdent(layout, name, true)
  }

  /** Replaces the numbers by those in the units of `Fix`, and those that cannot be read by nothing. */
  function readNumbers(cells: unknown[], speedUnit: SpeedUnit, line: number): void {
    for (const number of numbers) {
      const at = indexes.get(number.name)!
      const isSpeed = number.key === 'speed'
      const sent = isSpeed ? { ...number, factor: SPEED_UNITS[speedUnit] } : number
      const value = sentValue(cells[at], sent)
      if (value === undefined) unread.add(number.name, line)
      cells[at] = value
    }
  }

  const reader = {
    /** The rows of a feature: one, or those of the positions of a line that has their times. */
    *rowsOf(element: JsonElement, feature: Members): Iterable<Row> {
      const points = timedPoints(feature)
      if (points === null) yield reader.rowOf(element, feature)
      for (const point of points ?? []) {
        yield reader.rowOf({ ...element, text: JSON.stringify(point.geometry) }, point)
      }
    },
    rowOf(element: JsonElement, feature: Members): Row {
      const { type, coordinates } = membersOf(feature.geometry)
      const isPoint = type === 'Point' || type === undefined
      const columns = flatten(membersOf(feature.properties), '', new Map())
      if (isPoint) addPoint(columns, coordinates)
      else columns.set('geometry', feature.geometry)
      if (isFirst) layout.refuseOtherKind([...columns.keys()], name)
      isFirst = false
      if (!isPoint) return omitted(element, String(type))
      if (isFirstPoint) checkPoint([...columns.keys()])
      const cells = bind(columns)
      const ownUnit = columns.has('time_device') ? 'kmh' : 'mps'
      readNumbers(cells, units.speedUnit ?? ownUnit, element.line)
      return {
        ...rowOf(element, cells),
        attributes: attributesIn(cells),
        isInFixUnits: true,
      }
    },
    finish: unread.finish,
  }
  return reader
}

/** The members that have a time for each position of a line: of togeojson, Leaflet.TimeDimension and MF-JSON. */
const TIME_LISTS = [
  'coordTimes',
  'linestringTimestamps',
  'datetimes',
  'timestamps',
  'times',
  'time',
]

type Point = { geometry: Members; properties: Members }

/**
 * The positions of a line with times, as features of their own. Lists among the properties that are as long give each
 * position its item. A time may also be the fourth number of its position, as in Kepler.gl. Null: the feature is not a
 * line, or does not have a time for each position.
 */
function timedPoints({ geometry, properties }: Members): Iterable<Point> | null {
  const { type, coordinates } = membersOf(geometry)
  if (!Array.isArray(coordinates) || !LINES.has(String(type))) return null
  const places: unknown[] = type === 'MultiLineString' ? coordinates.flat() : coordinates
  const { coordinateProperties, ...others } = membersOf(properties)
  const lists = new Map<string, unknown[]>()
  const shared: Record<string, unknown> = {}
  for (const [name, value] of Object.entries({ ...others, ...membersOf(coordinateProperties) })) {
    const list = Array.isArray(value) ? value.flat() : []
    if (list.length === places.length) lists.set(name, list)
    else shared[name] = value
  }
  const named = TIME_LISTS.find((name) => lists.has(name))
  const times =
    named === undefined ? places.map((place) => (place as unknown[])?.[3]) : lists.get(named)!
  if (times.length === 0 || times.includes(undefined)) return null
  for (const name of TIME_LISTS) lists.delete(name)
  return pointsOf(places, shared, lists.set('timestamp', times))
}

const LINES = new Set(['LineString', 'MultiLineString', 'MultiPoint'])

function* pointsOf(
  places: readonly unknown[],
  shared: Members,
  lists: ReadonlyMap<string, readonly unknown[]>,
): Iterable<Point> {
  for (const [at, coordinates] of places.entries()) {
    const own = Array.from(lists, ([name, list]) => [name, list[at]])
    const properties = { ...shared, ...Object.fromEntries(own) }
    yield { geometry: { type: 'Point', coordinates }, properties }
  }
}

function omitted(element: JsonElement, type: string): Row {
  const { line, text } = element
  const thing = type.slice(0, 40).replace(/\B[A-Z]/g, (letter) => `_${letter}`)
  const detail = 'its properties do not have a time for each of its coordinates'
  return omittedRow(line, text.slice(0, 1_000), thing.toLowerCase(), detail)
}

/** Adds the coordinates of a point. A property of the same name stays. */
function addPoint(columns: Map<string, unknown>, coordinates: unknown): void {
  const [longitude, latitude, altitude] = Array.isArray(coordinates) ? coordinates : []
  for (const [column, value] of Object.entries({ latitude, longitude, altitude })) {
    if (value !== undefined && !columns.has(column)) columns.set(column, value)
  }
}

/** Throws `ImportMisuse` if each position needs an ident and none has one. */
export function requireIdent(layout: Layout, name: string, hasProperties: boolean): void {
  if (!layout.required.includes('ident')) return
  const advice = hasProperties ? ', or --map ident=PROPERTY' : ''
  throw new ImportMisuse(
    `'${name}' does not name the device of its positions; use --ident${advice}`,
  )
}
