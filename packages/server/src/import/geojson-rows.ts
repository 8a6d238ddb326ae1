import type { Field, Mapping } from './columns.ts'
import { elementsOf, type JsonElement } from './json-elements.ts'
import { SourceUnreadable } from './misuse.ts'
import { columnBinder, flatten } from './ndjson-rows.ts'
import { type Fault, fault, type Remarks, type Row } from './row.ts'
import type { Source } from './source.ts'

/** The names of the standard's reference system in older GeoJSON. */
const WGS84 = /\b(?:CRS84|EPSG:+4326)$/

/**
 * The features of a GeoJSON FeatureCollection, or of a single Feature. The columns are a feature's
 * properties, its `id` and its `geometry`. The text is read whole, but each feature is parsed alone.
 */
export async function* readGeoJsonRows(
  source: Source,
  fields: readonly Field[],
  mapping: Mapping,
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const text = await textOf(source)
  const bind = columnBinder(fields, mapping)
  yield featuresOf(text, source.name, remarks).map((element) => {
    const feature = element.isCut ? null : parseFeature(element.text)
    return {
      line: element.line,
      text: element.text.slice(0, 1000).replaceAll(/\s+/g, ' '),
      cells: feature === null ? [] : bind(columnsOf(feature, remarks)),
      fault: feature === null ? brokenFeature(element) : null,
      cutField: null,
    }
  })
}

async function textOf(source: Source): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of source.bytes) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

function featuresOf(text: string, name: string, remarks: Remarks): JsonElement[] {
  const collection = elementsOf(text, 'features')
  const root = parseJson(collection === null ? text : collection.frame)
  if (collection === null) {
    if (root?.type === 'Feature') return [{ text, line: 1, isCut: false }]
    throw new SourceUnreadable(
      root === null
        ? `'${name}' is not JSON, or cut off before its first feature`
        : `'${name}' is not GeoJSON with features: its type is '${String(root.type)}', and must be FeatureCollection or Feature`,
    )
  }
  if (root === null) remarks.truncated = true
  else checkCollection(root, name)
  return collection.elements
}

function checkCollection(root: Record<string, unknown>, name: string): void {
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

function parseJson(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}

function parseFeature(text: string): Record<string, unknown> | null {
  const value = parseJson(text)
  return value?.type === 'Feature' ? value : null
}

function brokenFeature(element: JsonElement): Fault {
  return element.isCut
    ? fault('truncated', 'the file ends within it')
    : fault('malformed', 'it is not a GeoJSON Feature')
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
