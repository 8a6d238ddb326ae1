import { parseJson } from '../../domain/common/json.ts'
import { runInTurns, takeTurn } from '../../domain/common/turn.ts'
import { type Fault, fault, faultyRow, type Remarks, type Row, SourceUnreadable } from '../row.ts'
import type { Source } from '../source.ts'
import type { Layout } from './columns.ts'
import { type JsonElement, jsonSplitter, LONGEST_ELEMENT } from './json-splitter.ts'
import { columnBinder, flatten } from './ndjson-rows.ts'

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

/** The row of an element with its cells. Null if the element is no Feature. */
export function rowOf(element: JsonElement, cells: unknown[] | null): Row {
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
  const first = jsonSplitter(['features'])
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
  const features = jsonSplitter(['features'])
  for (const chunk of chunks) {
    yield features.feed(chunk)
    await takeTurn()
  }
  const cut = features.end()
  if (cut !== null) yield [cut]
}

/** Throws `SourceUnreadable` if the object around the features is no collection in WGS 84. */
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
    else remarks.notes.add('features with an id that is no number from 1: matched by name')
  }
  columns.set('geometry', feature.geometry ?? null)
  return columns
}
