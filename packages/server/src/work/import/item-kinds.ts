import { inOneStep } from '../../base/domain/common/steps.ts'
import type { ItemSettings, ListTopic } from '../../base/domain/item-rules.ts'
import {
  ACCURACY_DEFAULTS,
  ACCURACY_RULES,
  OBJECT_DEFAULTS,
  OBJECT_DISTANCES,
  OBJECT_RULES,
  type ObjectSettings,
} from '../../base/domain/monitored-object.ts'
import type {
  GeofenceSettings,
  LonLat,
  RouteSettings,
  SiteSettings,
  Waypoint,
} from '../../base/domain/places/place.ts'
import {
  checkLines,
  checkRing,
  GEOFENCE_RULES,
  ROUTE_RULES,
  SITE_RULES,
} from '../../base/domain/places/place-settings.ts'
import type { Rule } from '../../base/domain/setting-rule.ts'
import { type CatalogueKind, readSettings, ruleFault, settingField } from './catalogue-kind.ts'
import { linesOf, pointOf, positionOf, ringOf } from './geometry.ts'
import { type Fault, isFault, type Remarks } from './row.ts'
import { isEmpty, spreadsheetIdent } from './tables/cells.ts'
import type { Field } from './tables/column-mapping.ts'

/** The names that other systems use for the columns of objects. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  ident: ['imei', 'device_id', 'vehicle_id', 'unit_id'],
  name: ['label', 'vehicle_name', 'object_name'],
  vin: ['vehicle_data.vin'],
  plateNumber: ['vehicle_data.plate_number', 'plate', 'license_plate', 'registration'],
}
const DISTANCES: readonly string[] = OBJECT_DISTANCES

/** The rows of objects. `kmFactor`: km in one unit of the file's odometer and mileage. */
export function objectKind(kmFactor: number): CatalogueKind<ObjectSettings> {
  const { name, ident, ...others } = OBJECT_RULES
  const settings = Object.entries<Rule>({ ident, name, ...others }).map(([key, rule]) =>
    settingField(key, rule, SYNONYMS[key], DISTANCES.includes(key) ? kmFactor : 1),
  )
  const accuracy = Object.entries(ACCURACY_RULES).map(([key, rule]) => {
    const field = settingField(key, rule)
    return { ...field, synonyms: [`accuracy.${field.name}`] }
  })
  return {
    fields: [{ name: 'id', synonyms: [] }, ...settings, ...accuracy],
    matchedBy: 'ident',
    defaults: OBJECT_DEFAULTS,
    essentials: ['ident', 'name'],
    read: (cells, existing) =>
      inOneStep(() => {
        const reported = readSettings(settings, cells, 1)
        if (isFault(reported)) return reported
        const rounded = spreadsheetIdent(String(reported.ident ?? ''))
        if (rounded !== null) return rounded
        const givenAccuracy = readSettings(accuracy, cells, 1 + settings.length)
        if (isFault(givenAccuracy)) return givenAccuracy
        return {
          name: reported.ident as string,
          ...existing,
          ...reported,
          accuracy: { ...ACCURACY_DEFAULTS, ...existing.accuracy, ...givenAccuracy },
        }
      }),
  }
}

const ID: Field = { name: 'id', synonyms: [] }

const GEOMETRY: Field = { name: 'geometry', synonyms: ['wkt', 'geom', 'the_geom'] }

/** The columns that the API uses in place of a geometry. */
const COORDINATES: Field = { name: 'coordinates', synonyms: [] }

const name = (rule: (typeof GEOFENCE_RULES)['name']) => settingField('name', rule, ['title'])

export const GEOFENCE_KIND = geofenceKind()

export const LISTED_KINDS: { readonly [Topic in ListTopic]: CatalogueKind<ItemSettings[Topic]> } = {
  geofences: GEOFENCE_KIND,
  routes: routeKind(),
  sites: siteKind(),
}

function geofenceKind(): CatalogueKind<GeofenceSettings> {
  const settings = [
    name(GEOFENCE_RULES.name),
    settingField('description', GEOFENCE_RULES.description, ['desc']),
    settingField('color', GEOFENCE_RULES.color, ['colour']),
  ]
  const end = 1 + settings.length
  return {
    fields: [ID, ...settings, GEOMETRY, COORDINATES],
    matchedBy: 'name',
    defaults: { description: null, color: null },
    essentials: ['name', 'coordinates'],
    *read(cells, existing, remarks) {
      const reported = readSettings(settings, cells, 1)
      if (isFault(reported)) return reported
      const given = geometryIn(cells[end], cells[end + 1], (ring) => [ring], 'Polygon')
      if (given === undefined) return { ...existing, ...reported }
      const coordinates = ringOf(given, remarks)
      if (isFault(coordinates)) return coordinates
      const found = yield* checkRing(coordinates)
      if (found !== undefined) {
        return {
          ...ruleFault('coordinates', GEOFENCE_RULES.coordinates, coordinates, found),
          reason: found.isSelfCrossing ? 'self_crossing' : 'bad_geometry',
        }
      }
      return { ...existing, ...reported, coordinates }
    },
  }
}

function routeKind(): CatalogueKind<RouteSettings> {
  const settings = [
    name(ROUTE_RULES.name),
    settingField('description', ROUTE_RULES.description, ['desc']),
    settingField('color', ROUTE_RULES.color, ['colour']),
    settingField('deviation', ROUTE_RULES.deviation),
  ]
  const end = 1 + settings.length
  return {
    fields: [ID, ...settings, GEOMETRY, COORDINATES, { name: 'points', synonyms: ['waypoints'] }],
    matchedBy: 'name',
    defaults: { description: null, color: null, deviation: null },
    essentials: ['name', 'coordinates'],
    *read(cells, existing, remarks) {
      const reported = readSettings(settings, cells, 1)
      if (isFault(reported)) return reported
      const given = geometryIn(cells[end], cells[end + 1], (lines) => lines, 'MultiLineString')
      const coordinates = given === undefined ? existing.coordinates : linesOf(given, remarks)
      if (coordinates === undefined) return { ...existing, ...reported }
      if (isFault(coordinates)) return coordinates
      if ((yield* checkLines(coordinates)) !== undefined) {
        return {
          ...ruleFault('coordinates', ROUTE_RULES.coordinates, coordinates),
          reason: 'bad_geometry',
        }
      }
      const points = waypointsIn(cells[end + 2], remarks)
      if (points !== undefined && isFault(points)) return points
      return { ...existing, ...reported, coordinates, points: points ?? endsOf(coordinates) }
    },
  }
}

function siteKind(): CatalogueKind<SiteSettings> {
  const settings = [
    name(SITE_RULES.name),
    settingField('description', SITE_RULES.description, ['desc']),
    settingField('icon', SITE_RULES.icon),
    settingField('latitude', SITE_RULES.latitude, ['lat']),
    settingField('longitude', SITE_RULES.longitude, ['lon', 'lng', 'long']),
    settingField('radius', SITE_RULES.radius),
  ]
  return {
    fields: [ID, ...settings, GEOMETRY],
    matchedBy: 'name',
    defaults: { description: null, icon: null, radius: null },
    essentials: ['name', 'latitude', 'longitude'],
    read: (cells, existing, remarks) =>
      inOneStep(() => {
        const reported = readSettings(settings, cells, 1)
        if (isFault(reported)) return reported
        const geometry = cells[1 + settings.length]
        if (geometry === undefined) return { ...existing, ...reported }
        const point = pointOf(geometry, remarks)
        if (isFault(point)) return point
        const [longitude, latitude] = point
        return { ...existing, ...reported, latitude, longitude }
      }),
  }
}

/** A geometry, or the columns that replace it. Undefined if the source has neither. */
function geometryIn(
  geometry: unknown,
  coordinates: unknown,
  wrap: (coordinates: unknown) => unknown,
  type: string,
): unknown {
  if (geometry !== undefined || isEmpty(coordinates)) return geometry
  return { type, coordinates: wrap(parsed(coordinates)) }
}

/** Waypoints in order. Undefined if there are none. */
function waypointsIn(cell: unknown, remarks: Remarks): Waypoint[] | undefined | Fault {
  if (isEmpty(cell)) return undefined
  const given = parsed(cell)
  const rule = ROUTE_RULES.points
  if (!Array.isArray(given)) return ruleFault('points', rule, given)
  const points: Waypoint[] = []
  for (const each of given as unknown[]) {
    const { location, order } = (each ?? {}) as Partial<Waypoint>
    const position = positionOf(location, remarks)
    if (isFault(position)) return ruleFault('points', rule, given)
    points.push({ location: position, order: order as number })
  }
  return rule.holds(points)
    ? points.sort((a, b) => a.order - b.order)
    : ruleFault('points', rule, given)
}

function endsOf(lines: LonLat[][]): Waypoint[] {
  return lines
    .flatMap((line) => [line[0]!, line.at(-1)!])
    .map((location, index) => ({ location, order: index + 1 }))
}

/** CSV, and programs without nested properties, hold JSON as text. */
function parsed(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell
  try {
    return JSON.parse(cell)
  } catch {
    return cell
  }
}
