import { runAtOnce } from '../../base/domain/common/steps.ts'
import type { ItemSettings, PlaceTopic } from '../../base/domain/item-rules.ts'
import type { CatalogueKind } from '../import/catalogue-kind.ts'
import { wktIn } from '../import/geometry.ts'
import { LISTED_KINDS } from '../import/item-kinds.ts'
import { type Fault, fault, isFault, noRemarks } from '../import/row.ts'
import type { TraccarGeofence } from './traccar-tables.ts'

/*
 * Geofences of Traccar as places: a polygon is a geofence, a circle a site, and a line a route with its distance.
 */

export type Place = { kind: PlaceTopic; settings: ItemSettings[PlaceTopic] }

const CIRCLE =
  /^\s*CIRCLE\s*\(\s*(?<latitude>\S+)\s+(?<longitude>[^\s,]+)\s*,\s*(?<radius>[^\s)]+)\s*\)\s*$/i

const KINDS: Readonly<Record<string, PlaceTopic>> = {
  Polygon: 'geofences',
  LineString: 'routes',
}

/** The place that says the same as a geofence, or why no place does. */
export function placeOf({ name, description, area, attributes }: TraccarGeofence): Place | Fault {
  const { color, polylineDistance } = attributes
  const about = { name, description, color: typeof color === 'string' ? color : null }
  const circle = CIRCLE.exec(area)?.groups
  if (circle !== undefined) return read('sites', { ...about, ...circle })
  const geometry = wktIn(area)
  const kind = KINDS[geometry?.type ?? '']
  if (geometry === null || kind === undefined) {
    return fault(
      'unsupported_geometry',
      `a ${/^\w+/.exec(area)?.[0] ?? 'text'} cannot become a place here`,
    )
  }
  const { type, coordinates } = geometry
  const turned = { type, coordinates: longitudeFirst(coordinates) }
  return read(kind, { ...about, geometry: turned, deviation: polylineDistance })
}

function read(kind: PlaceTopic, values: Readonly<Record<string, unknown>>): Place | Fault {
  const { fields, defaults, essentials, read } = LISTED_KINDS[kind] as CatalogueKind<object>
  const cells = fields.map(({ name }) => values[name] ?? undefined)
  const settings = runAtOnce(read(cells, defaults, noRemarks()))
  if (isFault(settings)) return settings
  const missing = essentials.find((each) => settings[each as never] === undefined)
  if (missing !== undefined) return fault('missing_field', `${missing} is missing`)
  return { kind, settings: settings as ItemSettings[PlaceTopic] }
}

/** Traccar writes the latitude before the longitude. */
function longitudeFirst(coordinates: unknown): unknown {
  if (!Array.isArray(coordinates)) return coordinates
  const [first, second] = coordinates as unknown[]
  return typeof first === 'number' ? [second, first] : coordinates.map(longitudeFirst)
}
