import type { Geofence, Level, Route, Site, Stop, Trip, Visit } from '../types.ts'

/** The items that the API lists, apart from objects. */
export type ListedItems = { geofence: Geofence; route: Route; site: Site }
/** The name of each list of them, which is that of its type of changes, path, file and table. */
export const LISTED = {
  geofence: 'geofences',
  route: 'routes',
  site: 'sites',
} as const satisfies Record<keyof ListedItems, string>
/** Derived records. Their `ident`, `name` and `place_name` are as of the delivery. */
export type ReplicaRecords = { trip: Trip; stop: Stop; visit: Visit; level: Level }
/** The name of each list of records. */
export const RECORDS = { trip: 'trips', stop: 'stops', visit: 'visits', level: 'levels' } as const
