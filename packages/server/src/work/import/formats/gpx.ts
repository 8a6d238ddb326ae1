import type { ListTopic } from '../../../base/domain/item-rules.ts'
import type { AttributeValue } from '../../../base/domain/position/attribute.ts'
import { valueOfText } from '../../../base/domain/position/attribute.ts'
import { decimalText, numbersIn } from '../../../base/domain/position/field-lists.ts'
import type { Source } from '../import-source.ts'
import {
  cutFault,
  type Fault,
  fault,
  faultyRow,
  fixRow,
  omittedRow,
  type Remarks,
  type Row,
  takenElsewhere,
} from '../row.ts'
import {
  decimalCommas,
  type KnownCells,
  knownCells,
  noteAttribute,
  type SpeedUnit,
  type Values,
} from '../tables/cells.ts'
import { addIgnored, type Field, type Layout } from '../tables/column-mapping.ts'
import { columnBinder } from './ndjson-rows.ts'
import { type XmlElement, type XmlFormat, xmlRows } from './xml-reader.ts'

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
 * meters per second. Waypoints, points of routes and tracks without points are omitted. Of the elements of track points
 * that fill no field, those within `extensions` are attributes, and the others ignored columns. Nothing after an XML error
 * can be read.
 */
export async function* readGpxRows(
  source: Source,
  fields: readonly Field[],
  speedUnit: SpeedUnit | null,
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const reader = new GpxReader(source, fields, speedUnit, remarks)
  try {
    yield* reader.rowsOf(source)
  } finally {
    reader.finish()
  }
}

/** Makes rows of the elements of a file as they begin and end. */
class GpxReader {
  private readonly known: KnownCells
  private readonly decimals: ReturnType<typeof decimalCommas>
  private readonly remarks: Remarks
  private rows: Row[] = []
  private track: Track = { name: '', line: 0, points: 0 }
  private point: Point | null = null
  /** The element that has begun last, unless it has ended. */
  private leaf = ''
  private isInExtensions = false

  constructor(
    source: Source,
    fields: readonly Field[],
    speedUnit: SpeedUnit | null,
    remarks: Remarks,
  ) {
    this.known = knownCells(fields, NUMBERS, speedUnit, remarks)
    this.decimals = decimalCommas(source.name, remarks)
    this.remarks = remarks
  }

  rowsOf(source: Source): AsyncGenerator<Row[]> {
    const format: XmlFormat = {
      name: 'GPX',
      root: 'gpx',
      keepsText: (name) => this.keepsText(name),
      open: (element) => this.open(element),
      close: (name, text, parent) => this.close(name, text, parent),
    }
    const take = () => this.take()
    return xmlRows(source, format, take, (error) => {
      if (this.point !== null) this.rows.push(this.rowOf(this.point, cutFault(error)))
    })
  }

  finish(): void {
    this.known.finish()
    this.decimals.finish()
  }

  private keepsText(name: string): boolean {
    if (TEXTS.has(name) || NUMBER_NAMES.has(name)) return true
    return this.isInExtensions && this.point?.element === 'trkpt'
  }

  private rowOf({ values, sent, element, line, attributes }: Point, fault: Fault | null): Row {
    const at = `<${element} lat="${values.get('latitude')}" lon="${values.get('longitude')}">`
    const text = `${at} ${values.get('time_device') ?? ''}`.trimEnd()
    const other = OTHER_POINTS.get(element)
    if (other !== undefined) {
      return takenElsewhere(line, text, other.thing, other.why, other.taker)
    }
    this.known.addNumbers(values, sent, line)
    return { ...fixRow(line, text, this.known.cells(values)), attributes: [...attributes], fault }
  }

  private open({ name, attributes, line }: XmlElement): void {
    this.leaf = name
    if (name === 'trk') this.track = { name: '', line, points: 0 }
    if (name === 'extensions') this.isInExtensions = true
    if (!isPoint(name)) return
    const { lat = '', lon = '' } = attributes
    const values: Values = new Map([
      ['latitude', this.decimals.withPoint(lat, line)],
      ['longitude', this.decimals.withPoint(lon, line)],
    ])
    if (name === 'trkpt') {
      this.track.points += 1
      values.set('ident', this.track.name)
    }
    this.point = { line, element: name, values, sent: {}, fix: '', attributes: new Map() }
  }

  private close(name: string, text: string, parent: string | undefined): void {
    if (this.point !== null && isPoint(name)) {
      this.rows.push(
        this.rowOf(
          this.point,
          this.point.fix === NO_FIX
            ? fault('no_fix', 'the receiver had no fix, according to its <fix>')
            : null,
        ),
      )
      this.point = null
    } else if (this.point !== null && NUMBER_NAMES.has(name)) {
      // An extension may have the same element again.
      if (text !== '') this.point.sent[name] ??= this.decimals.withPoint(text, this.point.line)
    } else if (this.point !== null && name === 'time') {
      if (!this.point.values.has('time_device')) this.point.values.set('time_device', text)
    } else if (this.point !== null && name === 'fix') {
      this.point.fix = text
    } else if (name === 'name' && parent === 'trk') this.track.name = text
    else if (name === 'trk' && this.track.points === 0) {
      this.rows.push(
        omittedRow(this.track.line, `<trk> ${this.track.name}`, 'empty_track', 'it has no points'),
      )
    } else if (this.point?.element === 'trkpt' && name === this.leaf) {
      this.closeOther(this.point, name, text)
    }
    if (name === 'extensions') this.isInExtensions = false
    this.leaf = ''
  }

  /** An extension may have the same element again. */
  private closeOther({ attributes }: Point, name: string, text: string): void {
    if (!this.isInExtensions) addIgnored(this.remarks, name)
    else if (text !== '' && !attributes.has(name)) {
      attributes.set(name, valueOfText(text))
      noteAttribute(this.remarks, name)
    }
  }

  private take(): Row[] {
    const taken = this.rows
    this.rows = []
    return taken
  }
}

function isPoint(name: string): boolean {
  return name === 'trkpt' || OTHER_POINTS.has(name)
}

/** The import that takes an element, what it is called, and its geometry. */
const PLACES: ReadonlyMap<string, { thing: string; kind: ListTopic; type: string }> = new Map([
  ['wpt', { thing: 'waypoint', kind: 'sites', type: 'Point' }],
  ['rte', { thing: 'route', kind: 'routes', type: 'LineString' }],
])

/** An element that is a place. `path`: its longitudes and latitudes. */
type Place = { line: number; element: string; name: string; description: string; path: number[][] }

/**
 * The places of GPX 1.0 or 1.1: waypoints are sites, and routes are routes. The columns are `name`, `description` and
 * `geometry`. Tracks and places of the other kind are omitted, and the elements of places that fill no field are
 * ignored columns.
 */
export async function* readGpxPlaces(
  source: Source,
  kind: ListTopic,
  layout: Layout,
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const bind = columnBinder(layout, remarks)
  const decimals = decimalCommas(source.name, remarks)
  let rows: Row[] = []
  let place: Place | null = null

  function open({ name, attributes, line }: XmlElement): void {
    if (PLACES.has(name)) place = { line, element: name, name: '', description: '', path: [] }
    if (name === 'trk') {
      rows.push(takenElsewhere(line, '<trk>', 'track', 'a track is driven', 'positions'))
    }
    if (name !== 'wpt' && name !== 'rtept') return
    const { lon = '', lat = '' } = attributes
    const degrees = (text: string) => decimalText(decimals.withPoint(text, line)) ?? Number.NaN
    place?.path.push([degrees(lon), degrees(lat)])
  }

  function close(name: string, text: string, parent: string | undefined): void {
    if (place === null) return
    if (name === place.element) {
      rows.push(rowOf(place))
      place = null
    } else if (parent !== place.element) return
    else if (name === 'name') place.name = text
    else if (name === 'desc') place.description = text
    else if (name !== 'rtept' && PLACES.get(place.element)!.kind === kind) addIgnored(remarks, name)
  }

  function rowOf(place: Place): Row {
    const { line, element, name, description, path } = place
    const { thing, kind: taker, type } = PLACES.get(element)!
    const text = textOf(place)
    if (taker !== kind) return takenElsewhere(line, text, thing, 'it has another shape', taker)
    const columns = new Map<string, unknown>()
    if (name !== '') columns.set('name', name)
    if (description !== '') columns.set('description', description)
    columns.set('geometry', { type, coordinates: type === 'Point' ? path[0] : path })
    return { line, text, cells: bind(columns), fault: null, cutField: null }
  }

  const keepsText = (name: string) => name === 'name' || name === 'desc'
  function take(): Row[] {
    const taken = rows
    rows = []
    return taken
  }

  const format = { name: 'GPX', root: 'gpx', keepsText, open, close }
  try {
    yield* xmlRows(source, format, take, (error) => {
      if (place !== null) rows.push(faultyRow(place.line, textOf(place), cutFault(error)))
    })
  } finally {
    decimals.finish()
  }
}

function textOf({ element, name }: Place): string {
  return `<${element}> ${name}`.trimEnd()
}
