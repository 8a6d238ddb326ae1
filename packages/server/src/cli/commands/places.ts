import type { Command } from 'commander'
import { encodeGeofence, encodeRoute, encodeSite } from '../../api/encode/place.ts'
import type { Organization } from '../../domain/organization.ts'
import type {
  Geofence,
  GeofenceSettings,
  Route,
  RouteSettings,
  Site,
  SiteSettings,
} from '../../domain/place.ts'
import { GEOFENCE_RULES, ROUTE_RULES, SITE_RULES } from '../../domain/settings/place-settings.ts'
import { firstFault } from '../../domain/settings/rule.ts'
import { linesOf, ringOf } from '../../import/geometry.ts'
import { refuse } from '../../operator/input.ts'
import type { Store } from '../../store/store.ts'
import { geometryIn, geometryOption } from './geometry-file.ts'
import { type ItemCommandKind, itemCommands } from './items.ts'
import { addSettingOptions, givenSettings } from './setting-options.ts'

const GEOFENCES: ItemCommandKind<Geofence, GeofenceSettings> = {
  plural: 'geofences',
  singular: 'geofence',
  description: 'geofences: polygon zones',
  example: "--name 'City centre' --color '#ff8800'",
  store: (store) => store.geofences,
  documents: documentsBy(encodeGeofence),
  columns: ['id', 'name', 'color', ['VERTICES', lengthOf('coordinates')], 'updated_at'],
  addOptions: (update) =>
    addSettingOptions(update, GEOFENCE_RULES, ['coordinates']).addOption(geometryOption('Polygon')),
  patch({ geometry, ...options }) {
    const settings = givenSettings(GEOFENCE_RULES, options)
    if (typeof geometry === 'string') settings.coordinates = geometryIn(geometry, ringOf)
    refuse(firstFault(GEOFENCE_RULES, settings))
    return settings
  },
}

const ROUTES: ItemCommandKind<Route, RouteSettings> = {
  plural: 'routes',
  singular: 'route',
  description: 'routes: planned ways with waypoints',
  example: "--name 'Harbour loop' --deviation 150",
  store: (store) => store.routes,
  documents: documentsBy(encodeRoute),
  columns: ['id', 'name', 'color', 'deviation', ['WAYPOINTS', lengthOf('points')], 'updated_at'],
  addOptions: (update) =>
    addSettingOptions(update, ROUTE_RULES, ['points', 'coordinates']).addOption(
      geometryOption('LineString or MultiLineString'),
    ),
  patch({ geometry, ...options }) {
    const settings = givenSettings(ROUTE_RULES, options)
    if (typeof geometry === 'string') settings.coordinates = geometryIn(geometry, linesOf)
    refuse(firstFault(ROUTE_RULES, settings))
    return settings
  },
}

const SITES: ItemCommandKind<Site, SiteSettings> = {
  plural: 'sites',
  singular: 'site',
  description: 'sites: circular points of interest',
  example: '--radius 80 --icon warehouse',
  store: (store) => store.sites,
  documents: documentsBy(encodeSite),
  columns: ['id', 'name', 'icon', 'latitude', 'longitude', 'radius', 'updated_at'],
  addOptions: (update) => addSettingOptions(update, SITE_RULES),
  patch: (options) => givenSettings(SITE_RULES, options),
}

export function geofenceCommands(): Command {
  return itemCommands(GEOFENCES)
}

export function routeCommands(): Command {
  return itemCommands(ROUTES)
}

export function siteCommands(): Command {
  return itemCommands(SITES)
}

function documentsBy<Item>(encode: (item: Item) => string) {
  return async (_: Store, _owner: Organization, items: Item[]) =>
    items.map((item): Record<string, unknown> => JSON.parse(encode(item)))
}

function lengthOf(list: string) {
  return (document: Record<string, unknown>) => (document[list] as unknown[]).length
}
