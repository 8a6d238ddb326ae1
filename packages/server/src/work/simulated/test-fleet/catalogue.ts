import type { ItemSettings, ListTopic } from '../../../base/domain/item-rules.ts'
import { OBJECT_DEFAULTS, type ObjectSettings } from '../../../base/domain/monitored-object.ts'
import {
  ORGANIZATION_DEFAULTS,
  type OrganizationSettings,
} from '../../../base/domain/organization.ts'
import type {
  GeofenceSettings,
  RouteSettings,
  SiteSettings,
} from '../../../base/domain/places/place.ts'
import type { ItemEntry } from '../../../engine/store/item-store.ts'
import { cornerPlace, OBJECT, roundLine } from './vehicles.ts'

/** The organization, objects and places of the simulated fleet. */

export const CREATED_AT = Date.UTC(2026, 0, 1)

export const DAILY_QUOTA = 1_000

export const ORGANIZATION: OrganizationSettings = {
  ...ORGANIZATION_DEFAULTS,
  name: 'Simulated fleet',
  dailyQuota: DAILY_QUOTA,
}

const NAMES: Record<keyof typeof OBJECT, string> = {
  frequent: 'Van that reports every 15 seconds',
  second: 'Van that reports twice a minute',
  silent: 'Trailer that never reported',
  late: 'Van that reports late',
  gap: 'Van with a gap',
  corrected: 'Van that is corrected afterwards',
  comesBack: 'Van that is deleted and comes back',
}

export const OBJECTS: readonly ItemEntry<ObjectSettings>[] = Object.entries(OBJECT).map(
  ([name, id]) => ({
    ...OBJECT_DEFAULTS,
    id,
    name: NAMES[name as keyof typeof OBJECT],
    ident: `TEST-${id}`,
    vin: `TESTVEHICLE00000${id}`,
    plateNumber: `T-${id}`,
    odometerType: 'sensor',
    engineHoursType: 'sensor',
  }),
)

const DEPOT = cornerPlace(0)
/** Halfway round. */
const CUSTOMER = cornerPlace(12)
const [NORTH, EAST] = [0.0012, 0.0016]

const GEOFENCES: readonly ItemEntry<GeofenceSettings>[] = [
  {
    id: 1,
    name: 'Depot',
    description: 'The vehicles park here for eight minutes of each round.',
    color: '#2a6fdb',
    coordinates: [
      [DEPOT.longitude - EAST, DEPOT.latitude - NORTH],
      [DEPOT.longitude + EAST, DEPOT.latitude - NORTH],
      [DEPOT.longitude + EAST, DEPOT.latitude + NORTH],
      [DEPOT.longitude - EAST, DEPOT.latitude + NORTH],
    ],
  },
]

const ROUTES: readonly ItemEntry<RouteSettings>[] = [
  {
    id: 1,
    name: 'Round',
    description: 'Six kilometers in twelve minutes.',
    color: '#d1495b',
    deviation: 50,
    points: [
      { location: [DEPOT.longitude, DEPOT.latitude], order: 1 },
      { location: [CUSTOMER.longitude, CUSTOMER.latitude], order: 2 },
    ],
    coordinates: [roundLine()],
  },
]

const SITES: readonly ItemEntry<SiteSettings>[] = [
  { id: 1, name: 'Customer', description: null, icon: 'flag', ...CUSTOMER, radius: 150 },
]

export const LISTED: { readonly [Topic in ListTopic]: readonly ItemEntry<ItemSettings[Topic]>[] } =
  {
    geofences: GEOFENCES,
    routes: ROUTES,
    sites: SITES,
  }
