import { FIELDS } from '../../domain/position/fields.ts'
import { type Fault, fault, omittedRow, type Remarks, type Row, SourceCut } from '../row.ts'
import type { Source } from '../source.ts'
import { addIgnored, type Field } from './columns.ts'
import { gpxNumbers } from './gpx-numbers.ts'
import { readXml, type XmlElement } from './xml.ts'

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

/** The value of `fix` in a point whose receiver had no fix. */
const NO_FIX = 'none'

type Point = { line: number; element: string; cells: Map<string, string>; fix: string }

/** A track: its name, the line where it begins, and how many points it had. */
type Track = { name: string; line: number; points: number }

/**
 * The track points of GPX 1.0 or 1.1, in order. The ident of a track point is the name of its track. Speeds are
 * metres per second. Waypoints, points of routes and tracks without points are omitted, and the elements of track points
 * that fill no field are ignored columns. Nothing after an XML error can be read.
 */
export async function* readGpxRows(
  source: Source,
  fields: readonly Field[],
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const numbers = gpxNumbers(source.name, remarks)
  let rows: Row[] = []
  let track: Track = { name: '', line: 0, points: 0 }
  let point: Point | null = null
  /** The element that has begun last, unless it has ended. */
  let leaf = ''

  const rowOf = ({ cells, element, line }: Point, fault: Fault | null): Row => {
    const at = `<${element} lat="${cells.get('latitude')}" lon="${cells.get('longitude')}">`
    const text = `${at} ${cells.get('time_device') ?? ''}`.trimEnd()
    const other = OTHER_POINTS.get(element)
    if (other !== undefined) return omittedRow(line, text, other.thing, other.detail)
    const values = fields.map((field) => cells.get(field.name))
    return { line, text, cells: values, fault, cutField: null }
  }

  function open({ name, attributes, line }: XmlElement): void {
    leaf = name
    if (name === 'trk') track = { name: '', line, points: 0 }
    if (!isPoint(name)) return
    const { lat = '', lon = '' } = attributes
    const cells = new Map([
      ['latitude', numbers.coordinate(lat, line)],
      ['longitude', numbers.coordinate(lon, line)],
    ])
    if (name === 'trkpt') {
      track.points += 1
      cells.set('ident', track.name)
    }
    point = { line, element: name, cells, fix: '' }
  }

  function close(name: string, text: string, parent: string | undefined): void {
    const field = FIELD_OF.get(name)
    if (point !== null && isPoint(name)) {
      rows.push(
        rowOf(
          point,
          point.fix === NO_FIX ? fault('no_fix', 'the receiver had no fix, says its <fix>') : null,
        ),
      )
      point = null
    } else if (point !== null && field !== undefined && !point.cells.has(field)) {
      const value = numbers.value(field, name, text, point.line)
      if (value !== undefined) point.cells.set(field, value)
    } else if (point !== null && name === 'fix') {
      point.fix = text
    } else if (name === 'name' && parent === 'trk') track.name = text
    else if (name === 'trk' && track.points === 0) {
      rows.push(omittedRow(track.line, `<trk> ${track.name}`, 'empty_track', 'it has no points'))
    } else if (point?.element === 'trkpt' && field === undefined && name === leaf) {
      addIgnored(remarks, name)
    }
    leaf = ''
  }

  const keepsText = (name: string) => name === 'name' || name === 'fix' || FIELD_OF.has(name)
  try {
    const format = { name: 'GPX', root: 'gpx', keepsText, open, close }
    for await (const _ of readXml(source, format)) {
      yield rows
      rows = []
    }
  } catch (error) {
    if (point !== null) {
      const isCut = error instanceof SourceCut
      const broken = isCut
        ? fault('truncated', 'the file ends within it')
        : fault('malformed', 'the XML breaks within it')
      rows.push(rowOf(point, broken))
    }
    yield rows
    throw error
  } finally {
    numbers.finish()
  }
}

function isPoint(name: string): boolean {
  return name === 'trkpt' || OTHER_POINTS.has(name)
}
