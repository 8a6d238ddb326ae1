import type { ListTopic } from '../../domain/items.ts'
import { decimalText } from '../../domain/position/sent-value.ts'
import { cutFault, faultyRow, type Remarks, type Row, takenElsewhere } from '../row.ts'
import type { Source } from '../source.ts'
import { addIgnored, type Layout } from './columns.ts'
import { decimalCommas } from './decimal-commas.ts'
import { columnBinder } from './ndjson-rows.ts'
import { type XmlElement, xmlRows } from './xml.ts'

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

  function rowOf(of: Place): Row {
    const { line, element, name, description, path } = of
    const { thing, kind: taker, type } = PLACES.get(element)!
    const text = textOf(of)
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
