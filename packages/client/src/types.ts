// Written by write-types.ts of the API’s description.

/**
 * A tracked vehicle or asset. Its position is not part of the list: see its detail, or the latest
 * positions.
 */
export type FleetObject = {
  /** Id of the object. */
  id: number
  /** Display name of the object. */
  name: string
  /** The device’s own identifier, an IMEI or similar, unique in the organization. */
  ident: string
  /** When the server last received a packet of the object. Null if it never has. */
  time_server: string | null
  /** When the GPS of the device took the latest position. Null if there is none. */
  time_device: string | null
  /** When the object was last detected idle. Null if it never was. */
  time_last_idle: string | null
  /** When the object was last detected moving. Null if it never was. */
  time_last_move: string | null
  /** When the object was last detected stopped. Null if it never was. */
  time_last_stop: string | null
  /** Accumulated engine hours, 3 decimals. Null if unknown. */
  engine_hours: number | null
  /**
   * Where `engine_hours` comes from: `system` is calculated by the service, `sensor` is read from
   * the device.
   */
  engine_hours_type: 'sensor' | 'system'
  /** Odometer in the distance unit of the organization (km or mi), 2 decimals. Null if unknown. */
  odometer: number | null
  /**
   * Where `odometer` comes from: `system` is calculated by the service, `sensor` is read from the
   * device.
   */
  odometer_type: 'sensor' | 'system'
  vehicle_data: VehicleData
  /**
   * Distance of the current trip, or of the last one while the object is stopped, in the distance
   * unit of the organization (km or mi), 2 decimals. Null if unknown.
   */
  mileage: number | null
  /** Latest known address. Null if none is known. */
  address: string | null
  accuracy: Accuracy
  /** When the record was created. */
  created_at: string
}

/**
 * A tracked vehicle or asset with a snapshot of where it is. The five location fields are null
 * while no snapshot is available.
 */
export type ObjectDetail = {
  /** Id of the object. */
  id: number
  /** Display name of the object. */
  name: string
  /** The device’s own identifier, an IMEI or similar, unique in the organization. */
  ident: string
  /** When the server last received a packet of the object. Null if it never has. */
  time_server: string | null
  /** When the GPS of the device took the latest position. Null if there is none. */
  time_device: string | null
  /** When the object was last detected idle. Null if it never was. */
  time_last_idle: string | null
  /** When the object was last detected moving. Null if it never was. */
  time_last_move: string | null
  /** When the object was last detected stopped. Null if it never was. */
  time_last_stop: string | null
  /** Accumulated engine hours, 3 decimals. Null if unknown. */
  engine_hours: number | null
  /**
   * Where `engine_hours` comes from: `system` is calculated by the service, `sensor` is read from
   * the device.
   */
  engine_hours_type: 'sensor' | 'system'
  /** Odometer in the distance unit of the organization (km or mi), 2 decimals. Null if unknown. */
  odometer: number | null
  /**
   * Where `odometer` comes from: `system` is calculated by the service, `sensor` is read from the
   * device.
   */
  odometer_type: 'sensor' | 'system'
  vehicle_data: VehicleData
  /**
   * Distance of the current trip, or of the last one while the object is stopped, in the distance
   * unit of the organization (km or mi), 2 decimals. Null if unknown.
   */
  mileage: number | null
  /** Latest known address. Null if none is known. */
  address: string | null
  accuracy: Accuracy
  /** When the record was created. */
  created_at: string
  /** Current latitude in degrees (WGS 84), 7 decimals. Null if unknown. */
  latitude: number | null
  /** Current longitude in degrees (WGS 84), 7 decimals. Null if unknown. */
  longitude: number | null
  /** Altitude in meters, 2 decimals. Null if unknown. */
  altitude: number | null
  /** Heading in degrees clockwise from north, 0 to 360, 2 decimals. Null if unknown. */
  angle: number | null
  /**
   * Speed in the distance unit of the organization per hour (km/h or mph), 2 decimals. Null if
   * unknown.
   */
  speed: number | null
  /**
   * The attributes by their names in the catalogue, without those that are unknown. With
   * `include=attributes`.
   */
  attributes?: Record<string, number | boolean | string>
  /**
   * The `time_device` of the newest position that had each attribute. With `include=attributes`.
   */
  attributes_at?: Record<string, string>
}

/** Identity of the vehicle. */
export type VehicleData = {
  /** Vehicle Identification Number. Null if none is set. */
  vin: string | null
  /** Plate number. Null if none is set. */
  plate_number: string | null
}

/** How positions of the object are accepted and its movement detected. */
export type Accuracy = {
  /** IANA name of the time zone that the device uses. */
  device_timezone: string
  /** A position is accepted only if its horizontal dilution of precision is at most this. */
  maximum_hdop: number
  /** Minimum distance in meters between two positions that are both accepted. */
  minimum_difference_point: number
  /** A position is accepted only if its GPS quality level is at least this. */
  minimum_gps_level: number
  /**
   * Speed in km/h, regardless of the unit of the organization, above which the object is idle and
   * not stopped.
   */
  idle_speed_threshold: number
  /**
   * Speed in km/h, regardless of the unit of the organization, from which an object counts as
   * moving.
   */
  minimum_moving_speed: number
  /** The source of distances: `gps`, the positions, or `odometer`, the device’s odometer. */
  distance_source: string
  /**
   * How stops are detected: by `speed`, or by `ignition`. With `ignition`, the object stops only
   * when its ignition is off.
   */
  stop_detection_method: string
}

/** One recorded position of an object. */
export type Position = {
  /** Id of the object. */
  id: number
  /** The device’s own identifier, an IMEI or similar, unique in the organization. */
  ident: string
  /** Display name of the object. */
  name: string
  /** Latitude in degrees (WGS 84), 7 decimals. */
  latitude: number
  /** Longitude in degrees (WGS 84), 7 decimals. */
  longitude: number
  /** Altitude in meters, 2 decimals. Null if unknown. */
  altitude: number | null
  /** Heading in degrees clockwise from north, 0 to 360, 2 decimals. Null if unknown. */
  angle: number | null
  /**
   * Speed in the distance unit of the organization per hour (km/h or mph), 2 decimals. Null if
   * unknown.
   */
  speed: number | null
  /** When the server received this position. */
  time_server: string
  /** When the GPS of the device took this position. */
  time_device: string
  /** Engine hours as of this position, else the object’s, 3 decimals. Null if unknown. */
  engine_hours: number | null
  /**
   * Odometer as of this position, else the object’s, in the distance unit of the organization (km
   * or mi), 2 decimals. Null if unknown.
   */
  odometer: number | null
  /**
   * Distance of the trip as of this position, else of the object’s current or last trip, in the
   * distance unit of the organization (km or mi), 2 decimals. Null if unknown.
   */
  mileage: number | null
  /** Address of this position, else the last known one of the object. Null if unknown. */
  address: string | null
  /** Whether the ignition was on. Null if unknown. With `include=quality`. */
  ignition?: boolean | null
  /**
   * How the object was moving at this position. Null if unknown, and while the position is not
   * believed. With `include=quality`.
   */
  motion?: 'moving' | 'idle' | 'stopped' | null
  /** Horizontal dilution of precision, 2 decimals. Null if unknown. With `include=quality`. */
  hdop?: number | null
  /** GPS quality level of the device. Null if unknown. With `include=quality`. */
  gps_level?: number | null
  /**
   * Accuracy that the device claims: meters, 2 decimals. Phones send it instead of an HDOP. Null if
   * unknown. With `include=quality`.
   */
  accuracy?: number | null
  /**
   * Whether the server corrected `time_device` by rollovers of the week number of GPS. Null without
   * a position. With `include=quality`.
   */
  corrected?: boolean | null
  /**
   * Whether the object already had a newer position when the server stored this one. Null without a
   * position. With `include=quality`.
   */
  late?: boolean | null
  /**
   * The source of `address`. `own`: the packet brought it. `nearest`: the server knows the address
   * of a point nearby. `last_known`: it is the last address of the object. Null without an address.
   * With `include=quality`.
   */
  address_source?: 'own' | 'nearest' | 'last_known' | null
  exact?: ExactCounters
  /**
   * The attributes by their names in the catalogue, without those that are unknown. With
   * `include=attributes`.
   */
  attributes?: Record<string, number | boolean | string>
}

/**
 * The latest position of an object: the fields of a recorded position, null where the object never
 * had one.
 */
export type LatestPosition = {
  /** Id of the object. */
  id: number
  /** The device’s own identifier, an IMEI or similar, unique in the organization. */
  ident: string
  /** Display name of the object. */
  name: string
  /** Latitude in degrees (WGS 84), 7 decimals. Null if there never was a position. */
  latitude: number | null
  /** Longitude in degrees (WGS 84), 7 decimals. Null if there never was a position. */
  longitude: number | null
  /** Altitude in meters, 2 decimals. Null if unknown. */
  altitude: number | null
  /** Heading in degrees clockwise from north, 0 to 360, 2 decimals. Null if unknown. */
  angle: number | null
  /**
   * Speed in the distance unit of the organization per hour (km/h or mph), 2 decimals. Null if
   * unknown.
   */
  speed: number | null
  /** When the server received this position. Null if there never was one. */
  time_server: string | null
  /** When the GPS of the device took this position. Null if there never was one. */
  time_device: string | null
  /** Engine hours as of this position, else the object’s, 3 decimals. Null if unknown. */
  engine_hours: number | null
  /**
   * Odometer as of this position, else the object’s, in the distance unit of the organization (km
   * or mi), 2 decimals. Null if unknown.
   */
  odometer: number | null
  /**
   * Distance of the trip as of this position, else of the object’s current or last trip, in the
   * distance unit of the organization (km or mi), 2 decimals. Null if unknown.
   */
  mileage: number | null
  /** Address of this position, else the last known one of the object. Null if unknown. */
  address: string | null
  /** Whether the ignition was on. Null if unknown. With `include=quality`. */
  ignition?: boolean | null
  /**
   * How the object was moving at this position. Null if unknown, and while the position is not
   * believed. With `include=quality`.
   */
  motion?: 'moving' | 'idle' | 'stopped' | null
  /** Horizontal dilution of precision, 2 decimals. Null if unknown. With `include=quality`. */
  hdop?: number | null
  /** GPS quality level of the device. Null if unknown. With `include=quality`. */
  gps_level?: number | null
  /**
   * Accuracy that the device claims: meters, 2 decimals. Phones send it instead of an HDOP. Null if
   * unknown. With `include=quality`.
   */
  accuracy?: number | null
  /**
   * Whether the server corrected `time_device` by rollovers of the week number of GPS. Null without
   * a position. With `include=quality`.
   */
  corrected?: boolean | null
  /**
   * Whether the object already had a newer position when the server stored this one. Null without a
   * position. With `include=quality`.
   */
  late?: boolean | null
  /**
   * The source of `address`. `own`: the packet brought it. `nearest`: the server knows the address
   * of a point nearby. `last_known`: it is the last address of the object. Null without an address.
   * With `include=quality`.
   */
  address_source?: 'own' | 'nearest' | 'last_known' | null
  exact?: ExactCounters
  /**
   * The attributes by their names in the catalogue, without those that are unknown. With
   * `include=attributes`.
   */
  attributes?: Record<string, number | boolean | string>
  /**
   * The `time_device` of the newest position that had each attribute. With `include=attributes`.
   */
  attributes_at?: Record<string, string>
}

/**
 * The counters of a position as they are kept, so that nothing is rounded twice. With
 * `include=exact`.
 */
export type ExactCounters = {
  /** Odometer in millimeters. Null if the position has none and shows the object’s. */
  odometer_mm: number | null
  /** Mileage in millimeters, also exact. */
  mileage_mm: number | null
  /** Engine hours in milliseconds, also exact. */
  engine_hours_ms: number | null
}

/** A page of changes. */
export type Changes = {
  /** The number of the newest change when the page was made. */
  as_of: number
  /** The unit of distances and speeds. */
  distance_unit: 'km' | 'mi'
  /** Whether the page is part of the snapshot with which a client starts. */
  snapshot: boolean
  /** The entries, in the order of commit. */
  changes: Change[]
  /** Where the next page begins. */
  cursor: string
  /** Whether there were more changes when the page was made. */
  has_more: boolean
}

/**
 * One change. `type` and `op` say what it is. Later versions have more types and fields: ignore
 * those that you do not know, or ask for your own `types`.
 */
export type Change =
  | PositionPut
  | PositionDelete
  | PositionsReplace
  | CountersShift
  | StatePut
  | ObjectPut
  | ObjectDelete
  | GeofencePut
  | GeofenceDelete
  | RoutePut
  | RouteDelete
  | SitePut
  | SiteDelete
  | TripPut
  | TripDelete
  | StopPut
  | StopDelete
  | VisitPut
  | VisitDelete
  | LevelPut
  | LevelDelete
  | RetentionPut
  | ObjectRetentionPut
  | WithheldPut

/**
 * A position was added or replaced. Its counters contain the shifts up to the `as_of` of the page.
 */
export type PositionPut = {
  /** The kind of thing that changed. */
  type: 'position'
  /** Replace the position with this id and `time_device`, or add it. */
  op: 'put'
  /** Whether the object already had a newer position. */
  late: boolean
  position: Position
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A position no longer counts. */
export type PositionDelete = {
  /** The kind of thing that changed. */
  type: 'position'
  /** Drop it. */
  op: 'delete'
  /** Id of the object. */
  id: number
  /** When the GPS of the device took the position. */
  time_device: string
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/**
 * The positions of an object in a range, both ends included, are replaced by those that follow.
 */
export type PositionsReplace = {
  /** The kind of thing that changed. */
  type: 'positions'
  /** Drop the positions of the range. The current ones follow. */
  op: 'replace'
  /** Id of the object. */
  id: number
  /** The first `time_device` of the range. Null: from the beginning. */
  from_time: string | null
  /** The last `time_device` of the range. Null: without an end. */
  to_time: string | null
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/**
 * The counters of all positions of an object in a range, both ends included, moved by these
 * amounts. Keep the `as_of` of its page with each position. Add the amounts where it is below the
 * `seq` of this entry, and then set it to that `seq`. The shifts of one object with the same `seq`
 * never overlap and are on one page. The server is recalculating if a counter falls below zero:
 * answers show 0 until the position comes again.
 */
export type CountersShift = {
  /** The kind of thing that changed. */
  type: 'counters'
  /** Add the amounts, once, to the counters of each position. */
  op: 'shift'
  /** Id of the object. */
  id: number
  /** The first `time_device` of the range. Null: from the beginning. */
  from_time: string | null
  /** The last `time_device` of the range. Null: without an end. */
  to_time: string | null
  /** Millimeters. */
  odometer_mm: number
  /** Millimeters. */
  mileage_mm: number
  /** Milliseconds. */
  engine_hours_ms: number
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** The current state of an object. States in between may be missing. */
export type StatePut = {
  /** The kind of thing that changed. */
  type: 'state'
  /** Replace the item with this id, or add it. */
  op: 'put'
  state: ObjectState
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A vehicle or asset was added or changed. */
export type ObjectPut = {
  /** The kind of thing that changed. */
  type: 'object'
  /** Replace the item with this id, or add it. */
  op: 'put'
  object: FleetObject
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A vehicle or asset was deleted. */
export type ObjectDelete = {
  /** The kind of thing that changed. */
  type: 'object'
  /** Drop it. */
  op: 'delete'
  /** Id of the vehicle or asset. */
  id: number
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A geofence was added or changed. */
export type GeofencePut = {
  /** The kind of thing that changed. */
  type: 'geofence'
  /** Replace the item with this id, or add it. */
  op: 'put'
  geofence: Geofence
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A geofence was deleted. */
export type GeofenceDelete = {
  /** The kind of thing that changed. */
  type: 'geofence'
  /** Drop it. */
  op: 'delete'
  /** Id of the geofence. */
  id: number
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A route was added or changed. */
export type RoutePut = {
  /** The kind of thing that changed. */
  type: 'route'
  /** Replace the item with this id, or add it. */
  op: 'put'
  route: Route
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A route was deleted. */
export type RouteDelete = {
  /** The kind of thing that changed. */
  type: 'route'
  /** Drop it. */
  op: 'delete'
  /** Id of the route. */
  id: number
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A site was added or changed. */
export type SitePut = {
  /** The kind of thing that changed. */
  type: 'site'
  /** Replace the item with this id, or add it. */
  op: 'put'
  site: Site
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A site was deleted. */
export type SiteDelete = {
  /** The kind of thing that changed. */
  type: 'site'
  /** Drop it. */
  op: 'delete'
  /** Id of the site. */
  id: number
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A trip was added or changed. */
export type TripPut = {
  /** The kind of thing that changed. */
  type: 'trip'
  /** Replace the item with this id, or add it. */
  op: 'put'
  trip: Trip
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A trip was deleted. */
export type TripDelete = {
  /** The kind of thing that changed. */
  type: 'trip'
  /** Drop it. */
  op: 'delete'
  /** Id of the trip. */
  id: number
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A stop was added or changed. */
export type StopPut = {
  /** The kind of thing that changed. */
  type: 'stop'
  /** Replace the item with this id, or add it. */
  op: 'put'
  stop: Stop
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A stop was deleted. */
export type StopDelete = {
  /** The kind of thing that changed. */
  type: 'stop'
  /** Drop it. */
  op: 'delete'
  /** Id of the stop. */
  id: number
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A visit was added or changed. */
export type VisitPut = {
  /** The kind of thing that changed. */
  type: 'visit'
  /** Replace the item with this id, or add it. */
  op: 'put'
  visit: Visit
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A visit was deleted. */
export type VisitDelete = {
  /** The kind of thing that changed. */
  type: 'visit'
  /** Drop it. */
  op: 'delete'
  /** Id of the visit. */
  id: number
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A change of level was added or changed. */
export type LevelPut = {
  /** The kind of thing that changed. */
  type: 'level'
  /** Replace the item with this id, or add it. */
  op: 'put'
  level: Level
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** A change of level was deleted. */
export type LevelDelete = {
  /** The kind of thing that changed. */
  type: 'level'
  /** Drop it. */
  op: 'delete'
  /** Id of the change of level. */
  id: number
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/**
 * Older positions, and records that ended earlier, are no longer kept. Drop them by your own clock.
 */
export type RetentionPut = {
  /** The kind of thing that changed. */
  type: 'retention'
  /** Replace the number that you have. */
  op: 'put'
  /** Days for which positions are kept. Null: without a limit. */
  days: number | null
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/**
 * The smaller number of this and `retention` holds for the object. Drop its older positions and
 * records by your own clock.
 */
export type ObjectRetentionPut = {
  /** The kind of thing that changed. */
  type: 'object_retention'
  /** Replace the number that you have. */
  op: 'put'
  /** Id of the object. */
  id: number
  /** Days for which positions of the object are kept. Null: the organization’s setting applies. */
  days: number | null
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** Positions of this range were left out by `skip_exhausted`. */
export type WithheldPut = {
  /** The kind of thing that changed. */
  type: 'withheld'
  /** Note that positions of the range are missing. */
  op: 'put'
  /** Id of the object. */
  id: number
  /** The first `time_device` of the range. Null: from the beginning. */
  from_time: string | null
  /** The last `time_device` of the range. Null: without an end. */
  to_time: string | null
  /**
   * The number of the change within your organization. In a snapshot it is the `as_of` of the page.
   */
  seq: number
}

/** The fields of an object’s detail that its positions change. */
export type ObjectState = {
  /** Id of the object. */
  id: number
  /** When the server last received a packet of the object. Null if it never has. */
  time_server: string | null
  /** When the GPS of the device took the latest position. Null if there is none. */
  time_device: string | null
  /** When the object was last detected idle. Null if it never was. */
  time_last_idle: string | null
  /** When the object was last detected moving. Null if it never was. */
  time_last_move: string | null
  /** When the object was last detected stopped. Null if it never was. */
  time_last_stop: string | null
  /** Accumulated engine hours, 3 decimals. Null if unknown. */
  engine_hours: number | null
  /** Odometer in the distance unit of the organization (km or mi), 2 decimals. Null if unknown. */
  odometer: number | null
  /**
   * Distance of the current trip, or of the last one while the object is stopped, in the distance
   * unit of the organization (km or mi), 2 decimals. Null if unknown.
   */
  mileage: number | null
  /** Latest known address. Null if none is known. */
  address: string | null
  /** Current latitude in degrees (WGS 84), 7 decimals. Null if unknown. */
  latitude: number | null
  /** Current longitude in degrees (WGS 84), 7 decimals. Null if unknown. */
  longitude: number | null
  /** Altitude in meters, 2 decimals. Null if unknown. */
  altitude: number | null
  /** Heading in degrees clockwise from north, 0 to 360, 2 decimals. Null if unknown. */
  angle: number | null
  /**
   * Speed in the distance unit of the organization per hour (km/h or mph), 2 decimals. Null if
   * unknown.
   */
  speed: number | null
  /**
   * The attributes by their names in the catalogue, without those that are unknown. With
   * `include=attributes`.
   */
  attributes?: Record<string, number | boolean | string>
  /**
   * The `time_device` of the newest position that had each attribute. With `include=attributes`.
   */
  attributes_at?: Record<string, string>
}

/**
 * A trip of an object: from the position where its first distance is counted to the first position
 * at a standstill after the last counted distance.
 */
export type Trip = {
  /** Id of the trip. */
  id: number
  /** Id of the object. */
  object_id: number
  /** Ident of the object. */
  ident: string
  /** Name of the object. */
  name: string
  /** The position from which its first distance was counted. */
  start_time: string
  /** Degrees (WGS 84). */
  start_latitude: number
  /** Degrees (WGS 84). */
  start_longitude: number
  /** Address of the start, from its packet or of its coordinates. Null if unknown. */
  start_address: string | null
  /** Odometer at the start, in the distance unit of the organization. */
  start_odometer: number | null
  /** Engine hours at the start. */
  start_engine_hours: number | null
  /** The first position at a standstill after its last counted distance. Null while it is open. */
  end_time: string | null
  /** Degrees (WGS 84). */
  end_latitude: number | null
  /** Degrees (WGS 84). */
  end_longitude: number | null
  /** Address of the end, from its packet or of its coordinates. Null if unknown. */
  end_address: string | null
  /** Odometer at the end. */
  end_odometer: number | null
  /** Engine hours at the end. */
  end_engine_hours: number | null
  /**
   * The exact difference of the odometer since the end of the previous trip, rounded once. Null
   * without an odometer.
   */
  distance: number | null
  /** From its start to its end, or to the newest position so far, in whole seconds. */
  duration: number
  /** Time in motion, in whole seconds. */
  moving_time: number
  /** Time at a standstill with the engine on, in whole seconds. */
  idle_time: number
  /**
   * The duration of a trip without a signal, of which only the two ends are known. It is neither
   * moving, idle nor stopped. 0 for any other trip. In whole seconds.
   */
  silent_time: number
  /**
   * The highest speed of its plausible positions, including those that the history leaves out.
   * Without any, the highest average speed of its legs of more than 30 seconds. Never below
   * `average_speed`, and at most 250 km/h. Noise of a parked device does not count. Null if
   * unknown.
   */
  max_speed: number | null
  /** Distance divided by duration. Null if one of them is missing. */
  average_speed: number | null
  /** Positions of the history from its start to its end, both included. */
  positions: number
  /** The longest time between two positions, in whole seconds. */
  longest_gap: number
  /** Whether it is still in progress. Its end is then null. */
  open: boolean
  /** Grows with every change. */
  revision: number
  /** When the record was last changed. */
  updated_at: string
  /**
   * The attributes during the trip, stop or day, by their names in the catalogue, without those
   * that are unknown. With `include=attributes`; entries of changes have none.
   */
  attributes?: Record<string, AttributeSummary>
}

/** A stop of an object, between two trips. */
export type Stop = {
  /** Id of the stop. */
  id: number
  /** Id of the object. */
  object_id: number
  /** Ident of the object. */
  ident: string
  /** Name of the object. */
  name: string
  /** Its first position. */
  start_time: string
  /** Its last position, where the next trip starts. Null while it is open. */
  end_time: string | null
  /** Degrees (WGS 84). */
  latitude: number
  /** Degrees (WGS 84). */
  longitude: number
  /** Address of the first position, from its packet or of its coordinates. Null if unknown. */
  address: string | null
  /** From its start to its end, or to the newest position so far, in whole seconds. */
  duration: number
  /** Time with the engine on, in whole seconds. */
  idle_time: number
  /** Positions of the history from its start to its end, both included. */
  positions: number
  /** The longest time between two positions, in whole seconds. */
  longest_gap: number
  /** Ids of the geofences that contain its first position. */
  geofence_ids: number[]
  /** Ids of the sites that contain its first position. */
  site_ids: number[]
  /** Whether it is still in progress. Its end is then null. */
  open: boolean
  /** Grows with every change. */
  revision: number
  /** When the record was last changed. */
  updated_at: string
  /**
   * The attributes during the trip, stop or day, by their names in the catalogue, without those
   * that are unknown. With `include=attributes`; entries of changes have none.
   */
  attributes?: Record<string, AttributeSummary>
}

/** A stay of an object in a geofence or within the radius of a site. */
export type Visit = {
  /** Id of the visit. */
  id: number
  /** Id of the object. */
  object_id: number
  /** Ident of the object. */
  ident: string
  /** Name of the object. */
  name: string
  /** The type of the place. */
  place_type: 'geofence' | 'site'
  /** Id of the place. */
  place_id: number
  /** The current name of the place. Null if it was deleted a moment ago. */
  place_name: string | null
  /** The first position inside. */
  start_time: string
  /** The last position inside, before an absence of more than 2 minutes. Null while it is open. */
  end_time: string | null
  /** The last position outside, before the visit. Null if there is none. */
  before_time: string | null
  /** The first position outside, after the visit. Null while it is open. */
  after_time: string | null
  /** From its start to its end, or to the newest position so far, in whole seconds. */
  duration: number
  /** Distance between its first and its last position inside. Null without an odometer. */
  distance: number | null
  /** Positions of the history from its start to its end, both included. */
  positions: number
  /** Whether it is still in progress. Its end is then null. */
  open: boolean
  /** Grows with every change. */
  revision: number
  /** When the record was last changed. */
  updated_at: string
}

/** A rise or a fall of a level beyond its threshold, such as refueling. */
export type Level = {
  /** Id of the change of level. */
  id: number
  /** Id of the object. */
  object_id: number
  /** Ident of the object. */
  ident: string
  /** Name of the object. */
  name: string
  /** The name of the level in the catalogue of attributes. */
  attribute: string
  /** Whether the level rose or fell. */
  kind: 'filled' | 'drained'
  /** By how much, in the unit of the attribute. Never below its threshold. */
  amount: number
  /** The smoothed level before it. */
  before: number
  /** The smoothed level after it. */
  after: number
  /** The last position before the level changed. */
  start_time: string
  /** The first position with the new level. */
  end_time: string
  /** Degrees (WGS 84). */
  latitude: number
  /** Degrees (WGS 84). */
  longitude: number
  /** Address of the first position, from its packet or of its coordinates. Null if unknown. */
  address: string | null
  /** From its start to its end, or to the newest position so far, in whole seconds. */
  duration: number
  /** Time with the engine on, in whole seconds. */
  idle_time: number
  /** Positions of the history from its start to its end, both included. */
  positions: number
  /** The longest time between two positions, in whole seconds. */
  longest_gap: number
  /** Ids of the geofences that contain its first position. */
  geofence_ids: number[]
  /** Ids of the sites that contain its first position. */
  site_ids: number[]
  /** Whether later positions may still move or remove it. */
  open: boolean
  /** Grows with every change. */
  revision: number
  /** When the record was last changed. */
  updated_at: string
}

/**
 * The totals of an object on a local day. A leg is the distance and the time between two
 * consecutive positions. It belongs to the day in which it ends, without the time before that day
 * began. So the days of an object add up to its odometer, and the four times fill the time between
 * its first leg and its last.
 */
export type Day = {
  /** Id of the object. */
  object_id: number
  /** Ident of the object. */
  ident: string
  /** Name of the object. */
  name: string
  /** The day in the time zone. */
  date: string
  /**
   * The exact difference of the odometer since the last position before the day, rounded once. Null
   * without an odometer.
   */
  distance: number | null
  /** Trips that start on the day, by the rules of `/trips`. */
  trips: number
  /** Time in motion, in whole seconds. */
  moving_time: number
  /** Time at a standstill with the engine on, in whole seconds. */
  idle_time: number
  /** Time at a standstill with the engine off, in whole seconds. */
  stopped_time: number
  /** Time of trips without a signal, in whole seconds. */
  silent_time: number
  /** The first position of the day. */
  first_time: string
  /** The last position of the day. */
  last_time: string
  /**
   * The highest speed of the plausible positions of the day, including those that the history
   * leaves out. Without any, the highest average speed of its legs of more than 30 seconds. At most
   * 250 km/h. Noise of a parked device does not count. Null if unknown.
   */
  max_speed: number | null
  /** Odometer at the last position before the day. Null with `by`. */
  start_odometer: number | null
  /** Odometer at the last position of the day. Null with `by`. */
  end_odometer: number | null
  /** Engine hours at the last position before the day. Null with `by`. */
  start_engine_hours: number | null
  /** Engine hours at the last position of the day. Null with `by`. */
  end_engine_hours: number | null
  /** Positions of the history on the day. */
  positions: number
  /** The value of the attribute that `by` names. Null for the time without a value. */
  value?: string | null
  /**
   * The attributes during the trip, stop or day, by their names in the catalogue, without those
   * that are unknown. With `include=attributes`; entries of changes have none.
   */
  attributes?: Record<string, AttributeSummary>
}

/** Statistics of the positions of an object on a day, to compare with the statistics of a copy. */
export type Coverage = {
  /** Id of the object. */
  object_id: number
  /** Ident of the object. */
  ident: string
  /** Name of the object. */
  name: string
  /** The day in UTC. */
  date: string
  /** Positions of the history on the day. */
  positions: number
  /** The first position of the day. Null without positions. */
  first_time: string | null
  /** The last position of the day. Null without positions. */
  last_time: string | null
  /**
   * The longest time between two neighboring positions of the day, in whole seconds. Null without
   * positions.
   */
  longest_gap: number | null
  /** Positions that arrived more than an hour after they were taken. */
  late: number
  /**
   * The longest delay between a position and its arrival, in whole seconds. Null without positions.
   */
  worst_lateness: number | null
  /**
   * Packets that were not accepted, by reason. A packet belongs to the day of its `time_device`, or
   * of its arrival if that is earlier. Null if you see only a part of the day, because of the
   * retention or the scope of your key.
   */
  rejected: Record<string, number> | null
  /**
   * When the positions of the day last changed. The server notices changes from the first request
   * for the day on. Before that, this is when the last position arrived. Null without positions.
   */
  changed_at: string | null
  /**
   * The sum modulo 2^256 of the SHA-256 digests of the rows, each in the form of RFC 8785 with only
   * `id`, `time_device`, `time_server`, `latitude`, `longitude`, `altitude`, `angle` and `speed`.
   * 64 lowercase hexadecimal digits; the order of the rows does not matter.
   */
  digest: string
  /**
   * The sum modulo 2^256 of the SHA-256 digests of the rows, each in the form of RFC 8785 with only
   * `id`, `time_device` and `exact`. 64 lowercase hexadecimal digits; the order of the rows does
   * not matter.
   */
  counters_digest: string
}

/**
 * How closely an object followed a route in a range of time. Implausible positions do not count.
 */
export type Adherence = {
  /** Id of the route. */
  route_id: number
  /** Id of the object. */
  object_id: number
  /** Ident of the object. */
  ident: string
  /** Name of the object. */
  name: string
  /**
   * The allowed deviation of the route. Null if none is set, in meters along the ellipsoid (WGS
   * 84).
   */
  deviation: number | null
  /** Distance driven in the range, by the odometer. Null without an odometer or a position. */
  distance: number | null
  /**
   * The part of the distance within the `deviation`, 0 to 1, with 4 decimals. Null without a
   * deviation or a distance.
   */
  share_inside: number | null
  /** Ascending. Empty where the route has no `deviation`. */
  deviations: Deviation[]
  /** By `order`, ascending. */
  waypoints: WaypointVisit[]
}

/** A time in which an object was farther from a route than its `deviation`. */
export type Deviation = {
  /** The first position outside. */
  start_time: string
  /** The last position outside, before a return of more than 2 minutes. */
  end_time: string
  /** The part of it without a signal, in whole seconds. */
  silent_time: number
  /**
   * The greatest distance of a position from the route, in meters along the ellipsoid (WGS 84).
   */
  greatest_distance: number
}

/** How near an object came to a waypoint of a route. */
export type WaypointVisit = {
  /** Rank in the sequence of waypoints. */
  order: number
  /**
   * Distance of the nearest position. Null without a position, in meters along the ellipsoid (WGS
   * 84).
   */
  nearest_distance: number | null
  /** The time of that position. */
  time: string | null
  /**
   * Whether a position came within the `deviation` of it, later than the previous waypoints that
   * were visited in order. Null if the route has no `deviation`.
   */
  visited_in_order: boolean | null
}

/**
 * A value that devices send in addition to the fields of positions, as the organization shows it.
 */
export type Attribute = {
  /** The name of the attribute in answers. */
  name: string
  /** The type of its values. */
  type: 'number' | 'boolean' | 'text'
  /** The unit of its numbers. Null if none is set. */
  unit: string | null
  /** Display name. */
  label: string
  /** Its numbers have at most this number of decimals. Null: its values are not numbers. */
  decimals: number | null
  /** Whether its number only rises, except where the device starts it again. */
  is_counter: boolean
  /** Whether its number is the content of a tank, which is filled and drained. */
  is_level: boolean
}

/** An attribute during a trip, a stop or a day. */
export type AttributeSummary = {
  /** The first value. Stops and numbers have it. */
  first?: number | boolean | string
  /** The last value. Stops and numbers have it. */
  last?: number | boolean | string
  /** The smallest number. Trips and days have it. */
  min?: number
  /** The largest number. Trips and days have it. */
  max?: number
  /** The sum of the rises of a counter. */
  gain?: number
  /** The use of a level: `first` - `last` + `filled` - `drained`. */
  used?: number
  /** The rises of a level beyond its threshold. */
  filled?: number
  /** The falls of a level beyond its threshold and what an engine uses. */
  drained?: number
  /**
   * The texts, or `true` and `false`, that the object had for the longest time, the longest first,
   * at most 20. Trips and days have them.
   */
  values?: AttributeShare[]
}

/** A value of an attribute, and for how long the object had it. */
export type AttributeShare = {
  /** The value. */
  value: number | boolean | string
  /** The part of the time for which the object had it, 4 decimals. */
  share: number
}

/** A zone with the shape of a polygon. */
export type Geofence = {
  /** Id of the geofence. */
  id: number
  /** Name of the geofence. */
  name: string
  /** Free text. Null if none is set. */
  description: string | null
  /** Display color, hexadecimal. Null if none is set. */
  color: string | null
  /**
   * Vertices of the polygon, in order. The last one repeats the first if the polygon was drawn so.
   */
  coordinates: LonLat[]
  /** When the record was created. */
  created_at: string
  /** When the record was last changed. */
  updated_at: string
}

/** A planned route with its waypoints and its geometry. */
export type Route = {
  /** Id of the route. */
  id: number
  /** Name of the route. */
  name: string
  /** Free text. Null if none is set. */
  description: string | null
  /** Display color, hexadecimal. Null if none is set. */
  color: string | null
  /** Allowed deviation from the route in meters. Null if none is set. */
  deviation: number | null
  /** Waypoints, in order. */
  points: Waypoint[]
  /** Geometry of the route, as the coordinates of a GeoJSON MultiLineString. */
  coordinates: LonLat[][]
  /** When the record was created. */
  created_at: string
  /** When the record was last changed. */
  updated_at: string
}

/** A point of interest with the shape of a circle. */
export type Site = {
  /** Id of the site. */
  id: number
  /** Name of the site. */
  name: string
  /** Free text. Null if none is set. */
  description: string | null
  /** Identifier of an icon that the client draws. Null if none is set. */
  icon: string | null
  /** Latitude of the center in degrees (WGS 84), 7 decimals. */
  latitude: number
  /** Longitude of the center in degrees (WGS 84), 7 decimals. */
  longitude: number
  /** Radius in meters. Null if none is set. */
  radius: number | null
  /** When the record was created. */
  created_at: string
  /** When the record was last changed. */
  updated_at: string
}

/** A waypoint of a route. */
export type Waypoint = {
  location: LonLat
  /** Rank in the sequence of waypoints. */
  order: number
}

/** The key of the request. */
export type Key = {
  /** Its purpose. */
  name: string
  /** Its first characters, by which you recognize it. */
  prefix: string
  /** The data and operations that it has access to. Null: full access. */
  scope: {
    /** The operations that the key can use. Null: all. */
    operations: KeyOperation[] | null
    /** The ids of the objects that the key shows. Null: all. */
    objects?: number[] | null
    /** The first `time_device` that the key shows. Null: any. */
    data_from?: string | null
    /** The last `time_device` that the key shows. Null: any. */
    data_until?: string | null
    /** The data that the key shows, instead of the other fields: several grants. */
    grants?: Grant[]
    /** The requests of each rate window that the key may use. Null: all. */
    window_share: number | null
    /** The names of the attributes that the key shows. Left out: all public ones. */
    attributes?: string[]
  } | null
  /** When it was issued. */
  created_at: string
  /** When it expires. Null: never. */
  expires_at: string | null
  /** The organization of the key, and its settings that the answers depend on. */
  organization: {
    name: string
    /** The IANA time zone of its days, which `/days` uses without `tz`. */
    time_zone: string
    /** The unit of all distances and speeds. */
    distance_unit: 'km' | 'mi'
    /** The language of messages without `Accept-Language`. */
    language: 'en' | 'tr' | 'de' | 'es' | 'fr' | 'pt' | 'ru' | 'ar'
  }
}

/** Objects, and the part of their data that the key shows. */
export type Grant = {
  /** The ids of the objects that the key shows. Null: all. */
  objects: number[] | null
  /** The first `time_device` that the key shows. Null: any. */
  from: string | null
  /** The last `time_device` that the key shows. Null: any. */
  until: string | null
  /** The names of the attributes that the key shows. Null: all public ones. */
  attributes: string[] | null
}

/** A name in a scope. It gives access to one or more operations. */
export type KeyOperation =
  | 'objects'
  | 'detail'
  | 'positions'
  | 'changes'
  | 'records'
  | 'geofences'
  | 'routes'
  | 'sites'
  | 'coverage'

/** The usage of a key, and what is left of its limits. */
export type Usage = {
  /** The rate window, as in the headers. */
  window: {
    /** The requests in 10 seconds. */
    limit: number
    /** The requests that would still be admitted, after this one. */
    remaining: number
    /** Seconds until the oldest request leaves the window. */
    reset: number
  }
  /** The daily quota. */
  quota: {
    /** The daily quota of each object. Null: no limit. */
    limit: number | null
    /** Seconds until the quota is renewed at 00:00 UTC. */
    reset: number
    /** The objects that were used today, by id. */
    objects: ObjectQuota[]
  }
  /**
   * The requests with this key in the last 30 days, by day, operation and status. Requests to other
   * processes may be a minute late.
   */
  requests: RequestCount[]
  /** The limits of this service. */
  maxima: {
    /** The maximum number of rows in one history. Null: no maximum. */
    history_rows: number | null
    /** The maximum number of days in the range of one request. Null: no maximum. */
    history_days: number | null
    /** The maximum number of ids in one request. */
    ids: number
    /**
     * The maximum number of streams of an organization, or of a key with a smaller share of the
     * window.
     */
    streams: number
    /** The days for which changes are kept and cursors of `/changes` are valid. */
    changes_days: number
  }
}

/** The quota of an object that was used today. */
export type ObjectQuota = {
  /** Id of the object. */
  id: number
  /** Used units of today, rounded up. */
  used: number
  /** Units left, rounded down. Null without a limit. */
  remaining: number | null
}

/** The requests of a day that got one status from one operation. */
export type RequestCount = {
  /** The day in UTC. */
  date: string
  /** The id of the operation. */
  operation: string
  /** The HTTP status. */
  status: number
  /** How many requests got it. */
  requests: number
}

/** Longitude and latitude in degrees (WGS 84), in this order, as in GeoJSON. */
export type LonLat = [number, number]

/** The answer of the ping. */
export type Health = {
  /** The service answers. */
  status: 'ok'
}

/** The body of every error. */
export type ErrorBody = {
  /** The HTTP status. */
  statusCode: number
  /** A code for programs. `ERR999` if there is no more specific code than the HTTP status. */
  errorCode: string
  /** A message for people, in the language that `Content-Language` names. */
  message: string
  /** When the error occurred. */
  timestamp: string
  /** While records are derived for the first time: the share that is done. */
  progress?: number
}
