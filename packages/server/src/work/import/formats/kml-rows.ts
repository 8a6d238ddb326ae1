import { numbersIn } from '../../../base/domain/position/field-lists.ts'
import type { Source } from '../import-source.ts'
import { fixRow, inPortions, omittedRow, type Remarks, type Row, takenElsewhere } from '../row.ts'
import { type KnownCells, knownCells, type Values } from '../tables/cells.ts'
import type { Layout } from '../tables/column-mapping.ts'
import { pointFeatures, type Units } from './geojson-rows.ts'
import { type Placemark, placemarkReader, positionsIn, SHAPES } from './kml-places.ts'
import { readXml, type XmlElement, type XmlFormat } from './xml-reader.ts'

/** The lists of a track, one item for each position. `line`: where it begins. */
type Track = {
  line: number
  whens: string[]
  coords: string[]
  angles: string[]
  /** By name: the lists of its extended data. */
  arrays: Map<string, string[]>
}

/** The elements of tracks whose text counts. Others may have any length. */
const TEXTS = new Set(['when', 'coord', 'angles', 'value'])

/** Times of points that are kept, for a track that follows them. Fleetgate's own tracks have at most as many. */
const KEPT_TIMES = 100_000

/**
 * The positions in KML, in order: those of tracks (`gx:Track` of 2.2, `Track` of 2.3), and points with a time stamp. The
 * ident is the name of the placemark, unless extended data of a point has one. Lists of extended data fill the fields
 * that they name, with speeds in meters per second. Places and lines are omitted: they have no times. So is a track
 * that draws the points before it, as Fleetgate's own answers have one. Nothing after an XML error can be read.
 * https://developers.google.com/kml/documentation/kmlreference#gxtrack
 */
export async function* readKmlRows(
  source: Source,
  layout: Layout,
  units: Units,
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const reader = new KmlReader(source.name, layout, units, remarks)
  const format: XmlFormat = {
    name: 'KML',
    root: 'kml',
    keepsText: (name) => reader.keepsText(name),
    open: (element) => reader.open(element),
    close: (name, text, parent) => reader.close(name, text, parent),
  }
  try {
    for await (const _ of readXml(source, format)) yield* inPortions(reader.take())
    yield* inPortions(reader.take())
  } catch (error) {
    yield* inPortions(reader.takeCut())
    throw error
  } finally {
    reader.finish()
  }
}

const NO_TIMES = 'it does not have a time for each of its positions'

/** Makes rows of the elements of a file as they begin and end. */
class KmlReader {
  private readonly known: KnownCells
  private readonly features: ReturnType<typeof pointFeatures>
  private readonly placemarks: ReturnType<typeof placemarkReader>
  /** Those that have come since the last portion. The rows of a track are made as they are taken. */
  private found: Iterable<Row>[] = []
  /** The latest times of points. */
  private readonly times = new Set<string>()
  private track: Track | null = null
  private array: string[] = []

  constructor(name: string, layout: Layout, units: Units, remarks: Remarks) {
    this.known = knownCells(layout.fields, numbersIn('kmlTrack'), units.speedUnit, remarks)
    this.features = pointFeatures(name, layout, units, remarks)
    this.placemarks = placemarkReader((placemark) => this.addShapes(placemark))
  }

  keepsText(name: string): boolean {
    return TEXTS.has(name) || this.placemarks.keepsText(name)
  }

  open(element: XmlElement): void {
    const { name, attributes, line } = element
    this.placemarks.open(element)
    if (name === 'Track')
      this.track = { line, whens: [], coords: [], angles: [], arrays: new Map() }
    if (name === 'SimpleArrayData') {
      this.array = []
      this.track?.arrays.set(String(attributes.name), this.array)
    }
  }

  close(name: string, text: string, parent: string | undefined): void {
    this.placemarks.close(name, text, parent)
    if (this.track === null) return
    if (name === 'when') this.track.whens.push(text)
    else if (name === 'coord') this.track.coords.push(text)
    else if (name === 'angles') this.track.angles.push(text)
    else if (name === 'value') this.array.push(text)
    else if (name === 'Track') {
      this.found.push(this.rowsOf(this.track, false))
      this.track = null
    }
  }

  /** The rows since the last call. */
  take(): Iterable<Row>[] {
    const taken = this.found
    this.found = []
    return taken
  }

  /** The same after an error, with the track in which it came. */
  takeCut(): Iterable<Row>[] {
    if (this.track !== null) this.found.push(this.rowsOf(this.track, true))
    return this.take()
  }

  finish(): void {
    this.known.finish()
    this.features.finish()
  }

  private addShapes(placemark: Placemark): void {
    const { name, when } = placemark
    for (const { type, line, paths } of placemark.shapes) {
      if (type === 'Point' && when !== '') this.addPoint(placemark, line, paths)
      else {
        const { thing, kind } = SHAPES[type]
        this.found.push([takenElsewhere(line, `<${type}> ${name}`, thing, NO_TIMES, kind)])
      }
    }
  }

  private addPoint({ name, when, data }: Placemark, line: number, paths: string[]): void {
    const [text = ''] = paths
    const time = Object.hasOwn(data, 'time_device') ? {} : { time: when }
    const feature = {
      geometry: { type: 'Point', coordinates: positionsIn(text)[0] ?? [] },
      properties: { ident: name, ...time, ...data },
    }
    const element = { member: '', text: `${when} ${text}`, line, isCut: false, isTooLong: false }
    this.found.push([this.features.rowOf(element, feature)])
    this.times.add(when)
    if (this.times.size > KEPT_TIMES) this.times.delete(this.times.values().next().value!)
  }

  /** The rows of a track. Without its end, the last items of its lists may be missing. */
  private rowsOf(track: Track, isCut: boolean): Iterable<Row> {
    const { line, whens, coords } = track
    const shown = `<Track> with ${whens.length} <when> and ${coords.length} <coord>`
    if (whens.length !== coords.length && !isCut) {
      const detail =
        whens.length === 0
          ? 'its positions have no times'
          : 'it does not have a time for each position, so times cannot be matched'
      return [omittedRow(line, shown, 'track', detail)]
    }
    if (whens.length > 0 && whens.every((when) => this.times.has(when))) {
      const detail = 'it repeats the positions of the previous placemarks'
      return [omittedRow(line, shown, 'track', detail)]
    }
    return this.positionsOf(track, this.placemarks.current()?.name ?? '')
  }

  private *positionsOf(track: Track, ident: string): Generator<Row> {
    for (const [at, coord] of track.coords.entries()) {
      const when = track.whens[at]
      // A track may have times without positions.
      if (coord === '' || when === undefined) continue
      const values = placeIn(coord)
      values.set('ident', ident)
      values.set('time_device', when)
      this.known.addNumbers(values, sentAt(track, at), track.line)
      yield fixRow(track.line, `${when} ${coord}`, this.known.cells(values))
    }
  }
}

/** The numbers of a position of a track, by their names. */
function sentAt({ angles, arrays }: Track, at: number): Record<string, unknown> {
  const sent: Record<string, unknown> = { heading: angles[at]?.split(/\s+/)[0] }
  for (const [name, values] of arrays) sent[name] = values[at]
  return sent
}

/** The place in `longitude latitude altitude`. Older programs write commas. */
function placeIn(coord: string): Values {
  const [longitude, latitude, altitude] = coord.split(/[\s,]+/)
  return new Map<string, unknown>(Object.entries({ latitude, longitude, altitude }))
}
