import { parseJson } from '../../domain/json-steps.ts'
import { runInTurns, takeTurn } from '../../domain/turn.ts'
import { type Fault, fault, type Remarks, type Row, SourceUnreadable } from '../row.ts'
import type { Source } from '../source.ts'
import type { Layout } from './columns.ts'
import { elementsOf, type JsonElement } from './json-elements.ts'
import { columnBinder, flatten } from './ndjson-rows.ts'

/** The names of the standard's reference system in older GeoJSON. */
const WGS84 = /\b(?:CRS84|EPSG:+4326)$/

/** Features between two turns of other requests. */
const PORTION = 1_000
/** And their characters. */
const PORTION_CHARACTERS = 1 << 18
/** Characters. Parsing a longer feature could fill the memory. */
const LONGEST_FEATURE = 4 << 20

/**
 * The features of a GeoJSON FeatureCollection, or of a single Feature. The columns are a feature's
 * properties, its `id` and its `geometry`. The text is read whole, but each feature is parsed alone. Throws
 * `ImportMisuse` if the first feature is of another kind of import.
 */
export async function* readGeoJsonRows(
  source: Source,
  layout: Layout,
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const text = await textOf(source)
  const bind = columnBinder(layout, remarks)
  let isKnown = false
  for await (const elements of featuresOf(text, source.name, remarks)) {
    const rows: Row[] = []
    for (const element of elements) {
      const feature = isWhole(element) ? await parseFeature(element.text) : null
      const columns = feature === null ? null : columnsOf(feature, remarks)
      if (columns !== null && !isKnown) layout.refuseOtherKind([...columns.keys()], source.name)
      isKnown ||= columns !== null
      rows.push({
        line: element.line,
        text: element.text.slice(0, 1000).replaceAll(/\s+/g, ' '),
        cells: columns === null ? [] : bind(columns),
        fault: columns === null ? brokenFeature(element) : null,
        cutField: null,
      })
    }
    yield rows
  }
}

async function textOf(source: Source): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of source.bytes) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

/** The features in portions. The whole frame is checked first, so that a wrong file imports nothing. */
async function* featuresOf(
  text: string,
  name: string,
  remarks: Remarks,
): AsyncGenerator<JsonElement[]> {
  const frame = await frameOf(text)
  if ((frame ?? text).length > LONGEST_FEATURE) {
    throw new SourceUnreadable(
      `'${name}' is not GeoJSON: it has more than ${LONGEST_FEATURE} characters outside of the features of a collection`,
    )
  }
  const root = await parseObject(frame ?? text)
  if (frame === null && root?.type === 'Feature') {
    yield [{ text, line: 1, isCut: false }]
    return
  }
  if (frame === null) {
    throw new SourceUnreadable(
      root === null
        ? `'${name}' is not JSON, or cut off before its first feature`
        : `'${name}' is not GeoJSON with features: its type is '${String(root.type)}', and must be FeatureCollection or Feature`,
    )
  }
  if (root === null) remarks.truncated = true
  else checkCollection(root, name)
  yield* portionsOf(elementsOf(text, 'features')!)
}

/** The text without its features. Null if the text has no features. */
async function frameOf(text: string): Promise<string | null> {
  const found = elementsOf(text, 'features')
  if (found === null) return null
  for (let looked = 1; ; looked += 1) {
    const { done, value } = found.next()
    if (done) return value
    if (looked % PORTION === 0) await takeTurn()
  }
}

async function* portionsOf(elements: Iterable<JsonElement>): AsyncGenerator<JsonElement[]> {
  let portion: JsonElement[] = []
  let characters = 0
  for (const element of elements) {
    portion.push(element)
    characters += element.text.length
    if (portion.length < PORTION && characters < PORTION_CHARACTERS) continue
    yield portion
    portion = []
    characters = 0
    await takeTurn()
  }
  yield portion
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

async function parseObject(text: string): Promise<Record<string, unknown> | null> {
  try {
    const value = await runInTurns(parseJson(text))
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}

async function parseFeature(text: string): Promise<Record<string, unknown> | null> {
  const value = await parseObject(text)
  return value?.type === 'Feature' ? value : null
}

function isWhole({ text, isCut }: JsonElement): boolean {
  return !isCut && text.length <= LONGEST_FEATURE
}

function brokenFeature(element: JsonElement): Fault {
  if (element.isCut) return fault('truncated', 'the file ends within it')
  return fault(
    'malformed',
    isWhole(element)
      ? 'it is not a GeoJSON Feature'
      : `it has more than ${LONGEST_FEATURE} characters`,
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
