import type { Source } from '../import-source.ts'
import {
  faultyRow,
  ImportMisuse,
  inPortions,
  type Remarks,
  type Row,
  SourceUnreadable,
} from '../row.ts'
import type { Layout } from '../tables/column-mapping.ts'
import {
  brokenElement,
  checkCollection,
  parseObject,
  pointFeatures,
  requireIdent,
  type Units,
} from './geojson-rows.ts'
import { type JsonElement, JsonSplitter, LONGEST_ELEMENT } from './json-splitter.ts'
import { arrayOfOthers, readNdjsonRows } from './ndjson-rows.ts'
import { GOOGLE_MEMBERS, GoogleRows, type Members } from './phone-rows.ts'

/**
 * The positions of a JSON file, which is known by its content: GeoJSON, one of Google's exports, or one object on each
 * line. Memory holds one element of its arrays. Throws `ImportMisuse` if the first one is of another kind of import, or if
 * nothing says whose the positions are.
 */
export async function* readJsonRows(
  source: Source,
  layout: Layout,
  units: Units,
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const splitter = new JsonSplitter(['features', GOOGLE_EDITS, ...GOOGLE_MEMBERS])
  const chunks = source.bytes[Symbol.asyncIterator]()
  /** The bytes before the file was known to be one document. */
  const head: Uint8Array[] = []
  let headBytes = 0
  let reader: ElementReader | null = null
  for (;;) {
    const { done, value: chunk } = await chunks.next()
    if (done) break
    if (reader === null) head.push(chunk)
    const elements = splitter.feed(chunk)
    if (reader === null && splitter.isFound()) {
      head.length = 0
      reader = elementReader(source.name, layout, units, remarks, () => splitter.frame())
    }
    if (reader !== null) {
      const found: Iterable<Row>[] = []
      for (const element of elements) found.push(await reader.rowsOf(element))
      yield* inPortions(found)
      continue
    }
    headBytes += chunk.length
    if (splitter.isClosed()) break
    if (headBytes > LONGEST_ELEMENT) throw unknownDocument(source.name)
  }
  const feature = reader === null ? await parseObject(splitter.frame() ?? '') : null
  if (reader === null && feature?.type === 'Feature') {
    reader = elementReader(source.name, layout, units, remarks, () => splitter.frame())
    const text = splitter.frame()!
    const element = { member: '', text, line: 1, isCut: false, isTooLong: false }
    yield* inPortions([await reader.rowsOf(element)])
  }
  if (reader === null) {
    if (GOOGLE_SETTINGS.some((member) => member in (feature ?? {})))
      throw unreadOfGoogle(source.name)
    yield* readNdjsonRows({ ...source, bytes: joined(head, chunks) }, layout, remarks)
    return
  }
  const cut = splitter.end()
  if (cut !== null) yield* inPortions([await reader.rowsOf(cut)])
  if (!splitter.isClosed()) remarks.truncated = true
  await reader.finish(splitter.isClosed() ? splitter.frame() : null)
}

async function* joined(
  head: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* head
  for (;;) {
    const { done, value } = await rest.next()
    if (done) return
    yield value
  }
}

function unknownDocument(name: string): SourceUnreadable {
  return new SourceUnreadable(
    `'${name}' is neither GeoJSON, nor an export of Google, nor one JSON object on each line`,
  )
}

/** The array of `Timeline Edits.json`. */
const GOOGLE_EDITS = 'timelineEdits'

/** Members of the `Settings.json` next to Google's positions. */
const GOOGLE_SETTINGS = ['deviceSettings', 'hasReportedLocations', 'hasSetRetention']

/** Whether an element is one of `MyActivity.json`. */
function isActivity(value: Members | null): boolean {
  return value !== null && 'header' in value && 'products' in value
}

function unreadOfGoogle(name: string): ImportMisuse {
  return new ImportMisuse(
    `'${name}' is the part of Google's export without positions; import its Records.json, or the Timeline.json that the phone exports`,
  )
}

type ElementReader = {
  rowsOf(element: JsonElement): Promise<Iterable<Row>>
  /** `frame`: all but the elements. Null if the file is cut off. */
  finish(frame: string | null): Promise<void>
}

/** Reads the elements by the arrays that hold them. `frame`: all before the first one. */
function elementReader(
  name: string,
  layout: Layout,
  units: Units,
  remarks: Remarks,
  frame: () => string | null,
): ElementReader {
  const features = pointFeatures(name, layout, units, remarks)
  const google = new GoogleRows(layout.fields, units.speedUnit, remarks)
  let isFirst = true
  let isGeoJson = false

  async function begin(element: JsonElement, value: Members | null): Promise<void> {
    isFirst = false
    isGeoJson = element.member === 'features'
    if (isGeoJson) {
      const root = await parseObject(`${frame()?.trimEnd()}]}`)
      // A collection may name its type after its features.
      if (root !== null && 'type' in root) checkCollection(root, name)
      return
    }
    if (value?.type === 'Feature') return
    if (element.member === GOOGLE_EDITS || isActivity(value)) throw unreadOfGoogle(name)
    if (element.member === '' && !isTimeline(value)) throw arrayOfOthers(name)
    if (layout.mapping.size > 0) {
      throw new ImportMisuse(
        `--map names columns, and '${name}' is an export of Google, whose names are known`,
      )
    }
    // Records of `locations` may name the device.
    if (element.member !== 'locations') requireIdent(layout, name, false)
  }

  return {
    async rowsOf(element) {
      const isWhole = !element.isCut && !element.isTooLong
      const value = isWhole ? await parseObject(element.text) : null
      if (isFirst) await begin(element, value)
      if (value?.type === 'Feature') return features.rowsOf(element, value)
      const rows = value === null || isGeoJson ? null : google.rowsOf(element, value)
      return rows ?? [brokenRow(element, isGeoJson)]
    },
    async finish(whole) {
      const root = whole !== null && isGeoJson ? await parseObject(whole) : null
      if (root !== null) checkCollection(root, name)
      features.finish()
      google.finish()
    },
  }
}

function brokenRow(element: JsonElement, isGeoJson: boolean): Row {
  const { line, text } = element
  const expected = isGeoJson ? 'a GeoJSON Feature' : 'a part of an export of Google'
  const shown = text.slice(0, 1_000).replaceAll(/\s+/g, ' ')
  return faultyRow(line, shown, brokenElement(element, expected))
}

function isTimeline(value: Members | null): boolean {
  return value === null || value.startTime !== undefined
}
