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
  /** When the server last received a packet of the object. Null where it never has. */
  time_server: string | null
  /** When the GPS of the device took the latest position. Null where there is none. */
  time_device: string | null
  /** When the object was last detected idle. Null where it never was. */
  time_last_idle: string | null
  /** When the object was last detected moving. Null where it never was. */
  time_last_move: string | null
  /** When the object was last detected stopped. Null where it never was. */
  time_last_stop: string | null
  /** Accumulated engine hours, 3 decimals. Null where unknown. */
  engine_hours: number | null
  /**
   * Where `engine_hours` comes from: `system` is calculated by the service, `sensor` is read from
   * the device.
   */
  engine_hours_type: 'sensor' | 'system'
  /**
   * Odometer in the distance unit of the organization (km or mi), 2 decimals. Null where unknown.
   */
  odometer: number | null
  /**
   * Where `odometer` comes from: `system` is calculated by the service, `sensor` is read from the
   * device.
   */
  odometer_type: 'sensor' | 'system'
  vehicle_data: VehicleData
  /**
   * Distance of the current trip, or of the last one when the object stands, in the distance unit
   * of the organization (km or mi), 2 decimals. Null where unknown.
   */
  mileage: number | null
  /** Latest known address. Null where none is known. */
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
  /** When the server last received a packet of the object. Null where it never has. */
  time_server: string | null
  /** When the GPS of the device took the latest position. Null where there is none. */
  time_device: string | null
  /** When the object was last detected idle. Null where it never was. */
  time_last_idle: string | null
  /** When the object was last detected moving. Null where it never was. */
  time_last_move: string | null
  /** When the object was last detected stopped. Null where it never was. */
  time_last_stop: string | null
  /** Accumulated engine hours, 3 decimals. Null where unknown. */
  engine_hours: number | null
  /**
   * Where `engine_hours` comes from: `system` is calculated by the service, `sensor` is read from
   * the device.
   */
  engine_hours_type: 'sensor' | 'system'
  /**
   * Odometer in the distance unit of the organization (km or mi), 2 decimals. Null where unknown.
   */
  odometer: number | null
  /**
   * Where `odometer` comes from: `system` is calculated by the service, `sensor` is read from the
   * device.
   */
  odometer_type: 'sensor' | 'system'
  vehicle_data: VehicleData
  /**
   * Distance of the current trip, or of the last one when the object stands, in the distance unit
   * of the organization (km or mi), 2 decimals. Null where unknown.
   */
  mileage: number | null
  /** Latest known address. Null where none is known. */
  address: string | null
  accuracy: Accuracy
  /** When the record was created. */
  created_at: string
  /** Current latitude in degrees (WGS 84), 7 decimals. Null where unknown. */
  latitude: number | null
  /** Current longitude in degrees (WGS 84), 7 decimals. Null where unknown. */
  longitude: number | null
  /** Altitude in metres, 2 decimals. Null where unknown. */
  altitude: number | null
  /** Heading in degrees clockwise from north, 0 to 360, 2 decimals. Null where unknown. */
  angle: number | null
  /**
   * Speed in the distance unit of the organization per hour (km/h or mph), 2 decimals. Null where
   * unknown.
   */
  speed: number | null
}

/** Identity of the vehicle. */
export type VehicleData = {
  /** Vehicle Identification Number. Null where none is set. */
  vin: string | null
  /** Plate number. Null where none is set. */
  plate_number: string | null
}

/** How positions of the object are accepted and its movement detected. */
export type Accuracy = {
  /** IANA name of the time zone that the device uses. */
  device_timezone: string
  /** A position is accepted only where its horizontal dilution of precision is at most this. */
  maximum_hdop: number
  /** Least distance in metres between two positions that are both accepted. */
  minimum_difference_point: number
  /** A position is accepted only where its GPS quality level is at least this. */
  minimum_gps_level: number
  /**
   * Speed in km/h, whatever the unit of the organization, by which idling is told from standing.
   */
  idle_speed_threshold: number
  /**
   * Speed in km/h, whatever the unit of the organization, from which an object counts as moving.
   */
  minimum_moving_speed: number
  /**
   * What distances are calculated from: `gps`, the positions, or `odometer`, that of the device.
   */
  distance_source: string
  /**
   * How stops are detected: by `speed`, or by `ignition`: only one that is off stops the object.
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
  /** Altitude in metres, 2 decimals. Null where unknown. */
  altitude: number | null
  /** Heading in degrees clockwise from north, 0 to 360, 2 decimals. Null where unknown. */
  angle: number | null
  /**
   * Speed in the distance unit of the organization per hour (km/h or mph), 2 decimals. Null where
   * unknown.
   */
  speed: number | null
  /** When the server received this position. */
  time_server: string
  /** When the GPS of the device took this position. */
  time_device: string
  /**
   * Engine hours as of this position, else those of the object, 3 decimals. Null where unknown.
   */
  engine_hours: number | null
  /**
   * Odometer as of this position, else that of the object, in the distance unit of the organization
   * (km or mi), 2 decimals. Null where unknown.
   */
  odometer: number | null
  /**
   * Distance of the trip as of this position, else of the object’s current or last trip, in the
   * distance unit of the organization (km or mi), 2 decimals. Null where unknown.
   */
  mileage: number | null
  /** Address of this position, else the last known one of the object. Null where unknown. */
  address: string | null
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
  /** Latitude in degrees (WGS 84), 7 decimals. Null where there never was a position. */
  latitude: number | null
  /** Longitude in degrees (WGS 84), 7 decimals. Null where there never was a position. */
  longitude: number | null
  /** Altitude in metres, 2 decimals. Null where unknown. */
  altitude: number | null
  /** Heading in degrees clockwise from north, 0 to 360, 2 decimals. Null where unknown. */
  angle: number | null
  /**
   * Speed in the distance unit of the organization per hour (km/h or mph), 2 decimals. Null where
   * unknown.
   */
  speed: number | null
  /** When the server received this position. Null where there never was one. */
  time_server: string | null
  /** When the GPS of the device took this position. Null where there never was one. */
  time_device: string | null
  /**
   * Engine hours as of this position, else those of the object, 3 decimals. Null where unknown.
   */
  engine_hours: number | null
  /**
   * Odometer as of this position, else that of the object, in the distance unit of the organization
   * (km or mi), 2 decimals. Null where unknown.
   */
  odometer: number | null
  /**
   * Distance of the trip as of this position, else of the object’s current or last trip, in the
   * distance unit of the organization (km or mi), 2 decimals. Null where unknown.
   */
  mileage: number | null
  /** Address of this position, else the last known one of the object. Null where unknown. */
  address: string | null
}

/** A zone with the shape of a polygon. */
export type Geofence = {
  /** Id of the geofence. */
  id: number
  /** Name of the geofence. */
  name: string
  /** Free text. Null where none is set. */
  description: string | null
  /** Display color, hexadecimal. Null where none is set. */
  color: string | null
  /**
   * Vertices of the polygon, in order. Whether the first is repeated at the end is as it was drawn.
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
  /** Free text. Null where none is set. */
  description: string | null
  /** Display color, hexadecimal. Null where none is set. */
  color: string | null
  /** Allowed deviation from the route in metres. Null where none is set. */
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

/** A waypoint of a route. */
export type Waypoint = {
  location: LonLat
  /** Place in the sequence of waypoints. */
  order: number
}

/** A point of interest with the shape of a circle. */
export type Site = {
  /** Id of the site. */
  id: number
  /** Name of the site. */
  name: string
  /** Free text. Null where none is set. */
  description: string | null
  /** Identifier of an icon that the client draws. Null where none is set. */
  icon: string | null
  /** Latitude of the centre in degrees (WGS 84), 7 decimals. */
  latitude: number
  /** Longitude of the centre in degrees (WGS 84), 7 decimals. */
  longitude: number
  /** Radius in metres. Null where none is set. */
  radius: number | null
  /** When the record was created. */
  created_at: string
  /** When the record was last changed. */
  updated_at: string
}

/** Longitude and latitude in degrees (WGS 84), in this order, as in GeoJSON. */
export type LonLat = [number, number]

/** What the ping answers. */
export type Health = {
  /** The service answers. */
  status: 'ok'
}

/** The body of every error. */
export type ErrorBody = {
  /** The HTTP status. */
  statusCode: number
  /** Code for programs to decide by. `ERR999` where the HTTP status says it all. */
  errorCode: string
  /** Text for people, in the language that `Content-Language` names. */
  message: string
  /** When the error occurred. */
  timestamp: string
}
