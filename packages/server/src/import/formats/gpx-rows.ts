import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { FIELDS } from '../../domain/position/fields.ts'
import { type Fault, fault, omittedRow, type Remarks, type Row, SourceUnreadable } from '../row.ts'
import type { Source } from '../source.ts'
import type { Field } from './columns.ts'

/** The elements of a point and of common extensions (Garmin, OsmAnd), by local name. */
const FIELD_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(FIELDS).flatMap(([name, field]) =>
    'gpx' in field ? field.gpx.map((element) => [element, name] as const) : [],
  ),
)

/** The points that no vehicle was at, and why each is left out. */
const OTHER_POINTS: ReadonlyMap<string, { thing: string; detail: string }> = new Map([
  ['wpt', { thing: 'waypoint', detail: 'a waypoint is a place, not a position of a track' }],
  ['rtept', { thing: 'route_point', detail: 'a route is planned, not driven' }],
])

type Point = { line: number; element: string; cells: Map<string, string> }

/**
 * The track points of GPX 1.0 or 1.1, in order. The ident of a track point is the name of its track. Speeds are
 * metres per second. Waypoints and points of routes are omitted. Nothing after an XML error can be read.
 */
export async function* readGpxRows(
  source: Source,
  fields: readonly Field[],
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  let rows: Row[] = []
  const path: string[] = []
  let track = ''
  let text = ''
  let point: Point | null = null
  let isGpx = false

  const parser = new SaxesParser()

  const rowOf = ({ cells, element, line }: Point, fault: Fault | null): Row => {
    const at = `<${element} lat="${cells.get('latitude')}" lon="${cells.get('longitude')}">`
    const text = `${at} ${cells.get('time_device') ?? ''}`.trimEnd()
    const other = OTHER_POINTS.get(element)
    if (other !== undefined) return omittedRow(line, text, other.thing, other.detail)
    const values = fields.map((field) => cells.get(field.name))
    return { line, text, cells: values, fault, cutField: null }
  }

  parser.on('opentag', (tag: SaxesTagPlain) => {
    const name = localName(tag.name)
    if (path.length === 0 && name !== 'gpx') {
      throw new SourceUnreadable(`'${source.name}' is not GPX: its root is <${tag.name}>`)
    }
    isGpx = true
    path.push(name)
    text = ''
    if (name === 'trk') track = ''
    if (isPoint(name)) {
      const cells = new Map(
        Object.entries({ latitude: tag.attributes.lat ?? '', longitude: tag.attributes.lon ?? '' }),
      )
      if (name === 'trkpt') cells.set('ident', track)
      point = { line: parser.line, element: name, cells }
    }
  })
  parser.on('text', (part) => {
    text += part
  })
  parser.on('cdata', (part) => {
    text += part
  })
  parser.on('closetag', () => {
    const name = path.pop()!
    const field = FIELD_OF.get(name)
    if (point !== null && isPoint(name)) {
      rows.push(rowOf(point, null))
      point = null
    } else if (point !== null && field !== undefined && !point.cells.has(field)) {
      point.cells.set(field, text)
    } else if (name === 'name' && path.at(-1) === 'trk') track = text.trim()
    text = ''
  })
  const decoder = new TextDecoder()
  for await (const chunk of source.bytes) {
    try {
      parser.write(decoder.decode(chunk, { stream: true }))
    } catch (error) {
      if (point !== null) rows.push(rowOf(point, fault('malformed', 'the XML breaks within it')))
      yield rows
      throw notWellFormed(source.name, error as Error)
    }
    yield rows
    rows = []
  }
  if (!isGpx) throw new SourceUnreadable(`'${source.name}' is empty: GPX begins with <gpx>`)
  if (path.length > 0) remarks.truncated = true
  if (point !== null) yield [rowOf(point, fault('truncated', 'the file ends within it'))]
}

/** The parser's message begins with line and column. */
function notWellFormed(name: string, error: Error): SourceUnreadable {
  if (error instanceof SourceUnreadable) return error
  return new SourceUnreadable(
    `'${name}' is not well-formed XML at ${error.message} What follows was not read.`,
  )
}

function isPoint(name: string): boolean {
  return name === 'trkpt' || OTHER_POINTS.has(name)
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
