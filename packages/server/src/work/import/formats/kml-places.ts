import type { ListTopic } from '../../../base/domain/item-rules.ts'
import { decimalText } from '../../../base/domain/position/field-lists.ts'
import type { Source } from '../import-source.ts'
import { cutFault, faultyRow, omittedRow, type Remarks, type Row, takenElsewhere } from '../row.ts'
import type { Layout } from '../tables/column-mapping.ts'
import { columnBinder } from './ndjson-rows.ts'
import { type XmlElement, xmlRows } from './xml-reader.ts'

/**
 * The placemarks of KML that have a shape of the kind: points are sites, lines are routes and polygons are geofences. The
 * columns are `name`, `description`, `geometry` and the names of extended data. Other shapes, tracks and points with a
 * time stamp, which are positions, are omitted.
 */
export async function* readKmlPlaces(
  source: Source,
  kind: ListTopic,
  layout: Layout,
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const bind = columnBinder(layout, remarks)
  let rows: Row[] = []
  let hasTrack = false
  const placemarks = placemarkReader((placemark) => {
    const taken: Shape[] = []
    for (const shape of placemark.shapes) {
      if (isOfKind(placemark, shape, kind)) taken.push(shape)
      else rows.push(omitted(placemark, shape))
    }
    const isBare = placemark.shapes.length === 0 && !hasTrack
    hasTrack = false
    // A placemark is a site unless its shape says otherwise. Some have an address alone.
    if (taken.length > 0 || (isBare && kind === 'sites')) rows.push(rowOf(placemark, taken))
    else if (isBare) {
      const { line } = placemark
      rows.push(omittedRow(line, textOf(placemark), 'placemark', 'it has no shape'))
    }
  })

  function rowOf(placemark: Placemark, shapes: readonly Shape[]): Row {
    const { line, name, description, data } = placemark
    const columns = new Map<string, unknown>(Object.entries(data))
    if (name !== '') columns.set('name', name)
    if (description !== '') columns.set('description', description)
    columns.set('geometry', geometryOf(shapes))
    return { line, text: textOf(placemark), cells: bind(columns), fault: null, cutField: null }
  }

  function open(element: XmlElement): void {
    placemarks.open(element)
    if (element.name !== 'Track') return
    hasTrack = true
    const { line, name } = placemarks.current() ?? { line: element.line, name: '' }
    const why = 'a track is driven'
    rows.push(takenElsewhere(line, `<Track> ${name}`, 'track', why, 'positions'))
  }

  const { keepsText, close } = placemarks
  function take(): Row[] {
    const taken = rows
    rows = []
    return taken
  }

  const format = { name: 'KML', root: 'kml', keepsText, open, close }
  yield* xmlRows(source, format, take, (error) => {
    const cut = placemarks.current()
    if (cut !== null) rows.push(faultyRow(cut.line, textOf(cut), cutFault(error)))
  })
}

function isOfKind({ when }: Placemark, { type }: Shape, kind: ListTopic): boolean {
  return SHAPES[type].kind === kind && !(type === 'Point' && when !== '')
}

function omitted({ name, when }: Placemark, { type, line }: Shape): Row {
  const text = `<${type}> ${name}`
  if (type === 'Point' && when !== '') {
    return takenElsewhere(line, text, 'position', 'a point with a time is a position', 'positions')
  }
  const { thing, kind } = SHAPES[type]
  return takenElsewhere(line, text, thing, 'it has another shape', kind)
}

/** The geometry as GeoJSON has it. Null: there is no shape. */
function geometryOf(shapes: readonly Shape[]): { type: string; coordinates: unknown } | null {
  const [first] = shapes
  if (first === undefined) return null
  const { type } = first
  return shapes.length === 1
    ? { type, coordinates: coordinatesOf(first) }
    : { type: `Multi${type}`, coordinates: shapes.map(coordinatesOf) }
}

function coordinatesOf({ type, paths }: Shape): unknown {
  const lines = paths.map((path) => positionsIn(path).map(onGround))
  if (type === 'Polygon') return lines
  return type === 'LineString' ? lines[0] : lines[0]?.[0]
}

/** Programs write an altitude of 0 where they have none. */
function onGround(position: readonly number[]): readonly number[] {
  return position[2] === 0 ? position.slice(0, 2) : position
}

function textOf({ name }: Placemark): string {
  return `<Placemark> ${name}`.trimEnd()
}

type ShapeType = 'Point' | 'LineString' | 'Polygon'

/** The name of each shape in accounts, and the import that takes it. */
export const SHAPES: Readonly<Record<ShapeType, { thing: string; kind: ListTopic }>> = {
  Point: { thing: 'point', kind: 'sites' },
  LineString: { thing: 'line_string', kind: 'routes' },
  Polygon: { thing: 'polygon', kind: 'geofences' },
}

/** A shape in a placemark. `paths`: the texts of its coordinates, one for each ring of a polygon. */
type Shape = { type: ShapeType; line: number; paths: string[] }

export type Placemark = {
  /** The line where it begins. */
  line: number
  name: string
  description: string
  /** Its time stamp. Empty: it has none. */
  when: string
  /** Its extended data by name. */
  data: Record<string, string>
  /** Its shapes, also those within a MultiGeometry. */
  shapes: Shape[]
}

/** The elements of placemarks whose text counts. */
const TEXTS = new Set(['name', 'description', 'when', 'value', 'SimpleData', 'coordinates'])

/** A ring that is not a polygon's is a closed line. */
const SHAPE_OF: ReadonlyMap<string, ShapeType> = new Map([
  ['Point', 'Point'],
  ['LineString', 'LineString'],
  ['LinearRing', 'LineString'],
  ['Polygon', 'Polygon'],
])

/** Collects the placemarks of KML. `onPlacemark` gets each when it ends. */
export function placemarkReader(onPlacemark: (placemark: Placemark) => void) {
  let current: Placemark | null = null
  let dataName = ''
  let isInPolygon = false

  return {
    keepsText: (name: string) => TEXTS.has(name),
    /** The placemark that has begun and has not ended. */
    current: () => current,
    open({ name, attributes, line }: XmlElement): void {
      if (name === 'Placemark') {
        current = { line, name: '', description: '', when: '', data: {}, shapes: [] }
      }
      if (name === 'Data' || name === 'SimpleData') dataName = String(attributes.name)
      const type = SHAPE_OF.get(name)
      if (type === undefined || isInPolygon) return
      current?.shapes.push({ type, line, paths: [] })
      isInPolygon = type === 'Polygon'
    },
    close(name: string, text: string, parent: string | undefined): void {
      if (name === 'Polygon') isInPolygon = false
      if (current === null) return
      if (name === 'Placemark') {
        onPlacemark(current)
        current = null
      } else if (name === 'name' && parent === 'Placemark') current.name = text
      else if (name === 'description' && parent === 'Placemark') current.description = text
      else if (name === 'when' && parent === 'TimeStamp') current.when = text
      else if (name === 'coordinates') current.shapes.at(-1)?.paths.push(text)
      else if (name === 'SimpleData' || (name === 'value' && parent === 'Data')) {
        current.data[dataName] = text
      }
    },
  }
}

/** The positions in a text of `longitude,latitude,altitude`, separated by spaces. NaN: it is not a number. */
export function positionsIn(text: string): number[][] {
  if (text === '') return []
  return text
    .replaceAll(/\s*,\s*/g, ',')
    .split(/\s+/)
    .map((position) => position.split(',').map((each) => decimalText(each) ?? Number.NaN))
}
