import type { GeofenceSettings, RouteSettings, SiteSettings } from '../../domain/place.ts'
import type { ObjectSettings } from '../../domain/tracked-object.ts'
import type { Topic } from '../store.ts'

/** How one kind of catalogue item lies in its table. */
export type Kind<Settings> = {
  table: Topic & string
  /** The column of each setting, in the table's order. */
  columns: { readonly [Setting in keyof Settings & string]: string }
  /** Settings that are kept as JSON text. */
  json: readonly (keyof Settings)[]
  /** What an entry without a known id is matched by; an ident is unique in its organization. */
  matchedBy: 'name' | 'ident'
}

export const OBJECTS: Kind<ObjectSettings> = {
  table: 'objects',
  columns: {
    name: 'name',
    ident: 'ident',
    vin: 'vin',
    plateNumber: 'plate_number',
    engineHoursType: 'engine_hours_type',
    odometerType: 'odometer_type',
    odometerOffset: 'odometer_offset',
    accuracy: 'accuracy',
    engineHours: 'engine_hours',
    odometer: 'odometer',
    mileage: 'mileage',
    address: 'address',
  },
  json: ['accuracy'],
  matchedBy: 'ident',
}

export const GEOFENCES: Kind<GeofenceSettings> = {
  table: 'geofences',
  columns: {
    name: 'name',
    description: 'description',
    color: 'color',
    coordinates: 'coordinates',
  },
  json: ['coordinates'],
  matchedBy: 'name',
}

export const ROUTES: Kind<RouteSettings> = {
  table: 'routes',
  columns: {
    name: 'name',
    description: 'description',
    color: 'color',
    deviation: 'deviation',
    points: 'points',
    coordinates: 'coordinates',
  },
  json: ['points', 'coordinates'],
  matchedBy: 'name',
}

export const SITES: Kind<SiteSettings> = {
  table: 'sites',
  columns: {
    name: 'name',
    description: 'description',
    icon: 'icon',
    latitude: 'latitude',
    longitude: 'longitude',
    radius: 'radius',
  },
  json: [],
  matchedBy: 'name',
}
