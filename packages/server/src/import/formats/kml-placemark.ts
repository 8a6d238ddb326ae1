import type { ListTopic } from '../../domain/items.ts'
import { decimalText } from '../../domain/position/sent-value.ts'
import type { XmlElement } from './xml.ts'

export type ShapeType = 'Point' | 'LineString' | 'Polygon'

/** The name of each shape in accounts, and the import that takes it. */
export const SHAPES: Readonly<Record<ShapeType, { thing: string; kind: ListTopic }>> = {
  Point: { thing: 'point', kind: 'sites' },
  LineString: { thing: 'line_string', kind: 'routes' },
  Polygon: { thing: 'polygon', kind: 'geofences' },
}

/** A shape in a placemark. `paths`: the texts of its coordinates, one for each ring of a polygon. */
export type Shape = { type: ShapeType; line: number; paths: string[] }

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

/** The positions in a text of `longitude,latitude,altitude`, separated by spaces. NaN: it is no number. */
export function positionsIn(text: string): number[][] {
  if (text === '') return []
  return text
    .replaceAll(/\s*,\s*/g, ',')
    .split(/\s+/)
    .map((position) => position.split(',').map((each) => decimalText(each) ?? Number.NaN))
}
