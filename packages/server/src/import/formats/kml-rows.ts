import { numbersIn } from '../../domain/position/field-lists.ts'
import { fixRow, omittedRow, type Remarks, type Row } from '../row.ts'
import type { Source } from '../source.ts'
import type { SpeedUnit } from './cells.ts'
import type { Field } from './columns.ts'
import { knownCells, type Values } from './known-cells.ts'
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

/** Shapes without times, and why each is left out. */
const SHAPES: ReadonlyMap<string, { thing: string; detail: string }> = new Map([
  ['LineString', { thing: 'line_string', detail: 'its points have no times' }],
  ['LinearRing', { thing: 'linear_ring', detail: 'its points have no times' }],
  ['Point', { thing: 'point', detail: 'a placemark is a place, not a position of a track' }],
])

/** The elements whose text counts. Others may have any length. */
const TEXTS = new Set(['name', 'when', 'coord', 'angles', 'value'])

/**
 * The positions of the tracks in KML (`gx:Track` of 2.2, `Track` of 2.3), in order. The ident is the name of the
 * placemark. Lists of extended data fill the fields that they name, with speeds in metres per second. Places and lines
 * are omitted: they have no times. Nothing after an XML error can be read.
 * https://developers.google.com/kml/documentation/kmlreference#gxtrack
 */
export async function* readKmlRows(
  source: Source,
  fields: readonly Field[],
  speedUnit: SpeedUnit | null,
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const known = knownCells(fields, numbersIn('kmlTrack'), speedUnit, remarks)
  let rows: Row[] = []
  let placemark = ''
  let track: Track | null = null
  let array: string[] = []

  /** Adds the rows of a track. Without its end, the last items of its lists may be missing. */
  function addTrack(of: Track, isCut: boolean): void {
    const { line, whens, coords } = of
    const shown = `<Track> with ${whens.length} <when> and ${coords.length} <coord>`
    if (whens.length !== coords.length && !isCut) {
      const detail =
        whens.length === 0
          ? 'its positions have no times'
          : 'it does not have a time for each position, so none can be matched'
      rows.push(omittedRow(line, shown, 'track', detail))
      return
    }
    for (const [at, coord] of coords.entries()) {
      const when = whens[at]
      // A track may have times without positions.
      if (coord === '' || when === undefined) continue
      const values = placeIn(coord)
      values.set('ident', placemark)
      values.set('time_device', when)
      known.addNumbers(values, sentAt(of, at), line)
      rows.push(fixRow(line, `${when} ${coord}`, known.cells(values)))
    }
  }

  function open({ name, attributes, line }: XmlElement): void {
    const shape = SHAPES.get(name)
    if (shape !== undefined) {
      rows.push(omittedRow(line, `<${name}> ${placemark}`, shape.thing, shape.detail))
    }
    if (name === 'Placemark') placemark = ''
    if (name === 'Track') track = { line, whens: [], coords: [], angles: [], arrays: new Map() }
    if (name === 'SimpleArrayData') {
      array = []
      track?.arrays.set(String(attributes.name), array)
    }
  }

  function close(name: string, text: string, parent: string | undefined): void {
    if (name === 'name' && parent === 'Placemark') placemark = text
    if (track === null) return
    if (name === 'when') track.whens.push(text)
    else if (name === 'coord') track.coords.push(text)
    else if (name === 'angles') track.angles.push(text)
    else if (name === 'value') array.push(text)
    else if (name === 'Track') {
      addTrack(track, false)
      track = null
    }
  }

  const keepsText = (name: string) => TEXTS.has(name)
  try {
    for await (const _ of readXml(source, { name: 'KML', root: 'kml', keepsText, open, close })) {
      yield rows
      rows = []
    }
    yield rows
  } catch (error) {
    if (track !== null) addTrack(track, true)
    yield rows
    throw error
  } finally {
    known.finish()
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
