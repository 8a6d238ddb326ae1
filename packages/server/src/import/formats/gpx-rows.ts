import { valueOfText } from '../../domain/attributes/attribute.ts'
import type { AttributeValue } from '../../domain/attributes/attribute-value.ts'
import { numbersIn } from '../../domain/position/field-lists.ts'
import {
  cutFault,
  type Fault,
  fault,
  fixRow,
  omittedRow,
  type Remarks,
  type Row,
  takenElsewhere,
} from '../row.ts'
import type { Source } from '../source.ts'
import { noteAttribute } from './attribute-columns.ts'
import type { SpeedUnit } from './cells.ts'
import { addIgnored, type Field } from './columns.ts'
import { decimalCommas } from './decimal-commas.ts'
import { knownCells, type Values } from './known-cells.ts'
import { type XmlElement, xmlRows } from './xml.ts'

/** The elements of a point and of common extensions (Garmin, OsmAnd) that are numbers, by local name. */
const NUMBERS = numbersIn('gpx')
const NUMBER_NAMES = new Set(NUMBERS.map(({ name }) => name))

/** The points that no vehicle was at, why each is left out, and the import that takes it. */
const OTHER_POINTS: ReadonlyMap<string, { thing: string; why: string; taker: string }> = new Map([
  ['wpt', { thing: 'waypoint', why: 'a waypoint is a place', taker: 'sites' }],
  ['rtept', { thing: 'route_point', why: 'a route is planned', taker: 'routes' }],
])

const TEXTS = new Set(['name', 'time', 'fix'])

/** The value of `fix` in a point whose receiver had no fix. */
const NO_FIX = 'none'

/** `sent`: its numbers by element. */
type Point = {
  line: number
  element: string
  values: Values
  sent: Record<string, string>
  fix: string
  /** The values within its extensions that fill no field. */
  attributes: Map<string, AttributeValue>
}

/** A track: its name, the line where it begins, and how many points it had. */
type Track = { name: string; line: number; points: number }

/**
 * The track points of GPX 1.0 or 1.1, in order. The ident of a track point is the name of its track. Speeds are
 * metres per second. Waypoints, points of routes and tracks without points are omitted. Of the elements of track points
 * that fill no field, those within `extensions` are attributes, and the others ignored columns. Nothing after an XML error
 * can be read.
 */
export async function* readGpxRows(
  source: Source,
  fields: readonly Field[],
  speedUnit: SpeedUnit | null,
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const known = knownCells(fields, NUMBERS, speedUnit, remarks)
  const decimals = decimalCommas(source.name, remarks)
  let rows: Row[] = []
  let track: Track = { name: '', line: 0, points: 0 }
  let point: Point | null = null
  /** The element that has begun last, unless it has ended. */
  let leaf = ''
  let isInExtensions = false

  function rowOf({ values, sent, element, line, attributes }: Point, fault: Fault | null): Row {
    const at = `<${element} lat="${values.get('latitude')}" lon="${values.get('longitude')}">`
    const text = `${at} ${values.get('time_device') ?? ''}`.trimEnd()
    const other = OTHER_POINTS.get(element)
    if (other !== undefined) {
      return takenElsewhere(line, text, other.thing, other.why, other.taker)
    }
    known.addNumbers(values, sent, line)
    return { ...fixRow(line, text, known.cells(values)), attributes: [...attributes], fault }
  }

  function open({ name, attributes, line }: XmlElement): void {
    leaf = name
    if (name === 'trk') track = { name: '', line, points: 0 }
    if (name === 'extensions') isInExtensions = true
    if (!isPoint(name)) return
    const { lat = '', lon = '' } = attributes
    const values: Values = new Map([
      ['latitude', decimals.withPoint(lat, line)],
      ['longitude', decimals.withPoint(lon, line)],
    ])
    if (name === 'trkpt') {
      track.points += 1
      values.set('ident', track.name)
    }
    point = { line, element: name, values, sent: {}, fix: '', attributes: new Map() }
  }

  function close(name: string, text: string, parent: string | undefined): void {
    if (point !== null && isPoint(name)) {
      rows.push(
        rowOf(
          point,
          point.fix === NO_FIX ? fault('no_fix', 'the receiver had no fix, says its <fix>') : null,
        ),
      )
      point = null
    } else if (point !== null && NUMBER_NAMES.has(name)) {
      // An extension may have the same element again.
      if (text !== '') point.sent[name] ??= decimals.withPoint(text, point.line)
    } else if (point !== null && name === 'time') {
      if (!point.values.has('time_device')) point.values.set('time_device', text)
    } else if (point !== null && name === 'fix') {
      point.fix = text
    } else if (name === 'name' && parent === 'trk') track.name = text
    else if (name === 'trk' && track.points === 0) {
      rows.push(omittedRow(track.line, `<trk> ${track.name}`, 'empty_track', 'it has no points'))
    } else if (point?.element === 'trkpt' && name === leaf) {
      closeOther(point, name, text)
    }
    if (name === 'extensions') isInExtensions = false
    leaf = ''
  }

  /** An extension may have the same element again. */
  function closeOther({ attributes }: Point, name: string, text: string): void {
    if (!isInExtensions) addIgnored(remarks, name)
    else if (text !== '' && !attributes.has(name)) {
      attributes.set(name, valueOfText(text))
      noteAttribute(remarks, name)
    }
  }

  const keepsText = (name: string) =>
    TEXTS.has(name) || NUMBER_NAMES.has(name) || (isInExtensions && point?.element === 'trkpt')
  function take(): Row[] {
    const taken = rows
    rows = []
    return taken
  }

  const format = { name: 'GPX', root: 'gpx', keepsText, open, close }
  try {
    yield* xmlRows(source, format, take, (error) => {
      if (point !== null) rows.push(rowOf(point, cutFault(error)))
    })
  } finally {
    known.finish()
    decimals.finish()
  }
}

function isPoint(name: string): boolean {
  return name === 'trkpt' || OTHER_POINTS.has(name)
}
