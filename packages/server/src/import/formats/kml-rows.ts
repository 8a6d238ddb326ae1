import { takeTurn } from '../../domain/common/turn.ts'
import { numbersIn } from '../../domain/position/field-lists.ts'
import { fixRow, omittedRow, type Remarks, type Row, takenElsewhere } from '../row.ts'
import type { Source } from '../source.ts'
import type { Layout } from './columns.ts'
import { type Placemark, placemarkReader, positionsIn, SHAPES } from './kml-placemark.ts'
import { knownCells, type Values } from './known-cells.ts'
import { pointFeatures, type Units } from './point-features.ts'
import { readXml, type XmlElement } from './xml.ts'

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
 * that they name, with speeds in metres per second. Places and lines are omitted: they have no times. So is a track that
 * draws the points before it, as Fleetgate's own answers have one. Nothing after an XML error can be read.
 * https://developers.google.com/kml/documentation/kmlreference#gxtrack
 */
export async function* readKmlRows(
  source: Source,
  layout: Layout,
  units: Units,
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const known = knownCells(layout.fields, numbersIn('kmlTrack'), units.speedUnit, remarks)
  const features = pointFeatures(source.name, layout, units, remarks)
  const placemarks = placemarkReader(addShapes)
  /** Those that have come since the last portion. The rows of a track are made as they are taken. */
  let found: Iterable<Row>[] = []
  /** The latest times of points. */
  const times = new Set<string>()
  let track: Track | null = null
  let array: string[] = []

  function addShapes(placemark: Placemark): void {
    const { name, when } = placemark
    for (const { type, line, paths } of placemark.shapes) {
      if (type === 'Point' && when !== '') addPoint(placemark, line, paths)
      else {
        const { thing, kind } = SHAPES[type]
        found.push([takenElsewhere(line, `<${type}> ${name}`, thing, 'it has no times', kind)])
      }
    }
  }

  function addPoint({ name, when, data }: Placemark, line: number, paths: string[]): void {
    const [text = ''] = paths
    const time = Object.hasOwn(data, 'time_device') ? {} : { time: when }
    const feature = {
      geometry: { type: 'Point', coordinates: positionsIn(text)[0] ?? [] },
      properties: { ident: name, ...time, ...data },
    }
    const element = { member: '', text: `${when} ${text}`, line, isCut: false, isTooLong: false }
    found.push([features.rowOf(element, feature)])
    times.add(when)
    if (times.size > KEPT_TIMES) times.delete(times.values().next().value!)
  }

  /** The rows of a track. Without its end, the last items of its lists may be missing. */
  function rowsOf(of: Track, isCut: boolean): Iterable<Row> {
    const { line, whens, coords } = of
    const shown = `<Track> with ${whens.length} <when> and ${coords.length} <coord>`
    if (whens.length !== coords.length && !isCut) {
      const detail =
        whens.length === 0
          ? 'its positions have no times'
          : 'it does not have a time for each position, so none can be matched'
      return [omittedRow(line, shown, 'track', detail)]
    }
    if (whens.length > 0 && whens.every((when) => times.has(when))) {
      const detail = 'its positions are those of the placemarks before it'
      return [omittedRow(line, shown, 'track', detail)]
    }
    return positionsOf(of, placemarks.current()?.name ?? '')
  }

  function* positionsOf(of: Track, ident: string): Generator<Row> {
    for (const [at, coord] of of.coords.entries()) {
      const when = of.whens[at]
      // A track may have times without positions.
      if (coord === '' || when === undefined) continue
      const values = placeIn(coord)
      values.set('ident', ident)
      values.set('time_device', when)
      known.addNumbers(values, sentAt(of, at), of.line)
      yield fixRow(of.line, `${when} ${coord}`, known.cells(values))
    }
  }

  function open(element: XmlElement): void {
    const { name, attributes, line } = element
    placemarks.open(element)
    if (name === 'Track') track = { line, whens: [], coords: [], angles: [], arrays: new Map() }
    if (name === 'SimpleArrayData') {
      array = []
      track?.arrays.set(String(attributes.name), array)
    }
  }

  function close(name: string, text: string, parent: string | undefined): void {
    placemarks.close(name, text, parent)
    if (track === null) return
    if (name === 'when') track.whens.push(text)
    else if (name === 'coord') track.coords.push(text)
    else if (name === 'angles') track.angles.push(text)
    else if (name === 'value') array.push(text)
    else if (name === 'Track') {
      found.push(rowsOf(track, false))
      track = null
    }
  }

  const keepsText = (name: string) => TEXTS.has(name) || placemarks.keepsText(name)
  try {
    for await (const _ of readXml(source, { name: 'KML', root: 'kml', keepsText, open, close })) {
      yield* inPortions(found)
      found = []
    }
    yield* inPortions(found)
  } catch (error) {
    if (track !== null) found.push(rowsOf(track, true))
    yield* inPortions(found)
    throw error
  } finally {
    known.finish()
    features.finish()
  }
}

/** Rows of a portion: some milliseconds. */
const PORTION = 1_000

/** The rows in portions, with turns for others in between: one track may have millions. */
async function* inPortions(found: readonly Iterable<Row>[]): AsyncGenerator<Row[]> {
  let rows: Row[] = []
  for (const some of found) {
    for (const row of some) {
      rows.push(row)
      if (rows.length < PORTION) continue
      yield rows
      rows = []
      await takeTurn()
    }
  }
  if (rows.length > 0) yield rows
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
