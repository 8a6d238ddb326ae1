import { COUNTER_TYPES } from '../../base/domain/monitored-object.ts'
import { FIELDS } from '../../base/domain/position/position-fields.ts'
import type { FleetObject } from '../../data/cache/fleet-objects.ts'
import {
  DECIMALS,
  degrees,
  distanceOf,
  engineHoursOf,
  measure,
  rounded,
} from '../formats/number-format.ts'
import {
  fieldsOf,
  ID,
  INSTANT,
  LATITUDE,
  LONGITUDE,
  NUMBER,
  nested,
  optional,
  plain,
  TEXT,
} from './row-fields.ts'

/*
 * The fields of objects, each stated once: rows of all formats, JSON text, schemas and examples come from these tables.
 */

const ofObject = fieldsOf<FleetObject>()

const AMOUNT = optional(plain<number>({ type: 'number', minimum: 0 }))
const COUNTER_TYPE = plain<string>({ type: 'string', enum: [...COUNTER_TYPES] })

function counterType(of: string) {
  return `Where \`${of}\` comes from: \`system\` is calculated by the service, \`sensor\` is read from the device.`
}

export const VEHICLE_FIELDS = {
  vin: ofObject(
    optional(TEXT),
    'Vehicle Identification Number. Null if none is set.',
    'WDB9634031L123459',
    ({ object }) => object.vin,
  ),
  plate_number: ofObject(
    optional(TEXT),
    'Plate number. Null if none is set.',
    '34 FG 1071',
    ({ object }) => object.plateNumber,
  ),
}

export const ACCURACY_FIELDS = {
  device_timezone: ofObject(
    TEXT,
    'IANA name of the time zone that the device uses.',
    'Europe/Istanbul',
    ({ object }) => object.accuracy.deviceTimezone,
  ),
  maximum_hdop: ofObject(
    NUMBER,
    'A position is accepted only if its horizontal dilution of precision is at most this.',
    10,
    ({ object }) => object.accuracy.maximumHdop,
  ),
  minimum_difference_point: ofObject(
    NUMBER,
    'Minimum distance in meters between two positions that are both accepted.',
    0,
    ({ object }) => object.accuracy.minimumDifferencePoint,
  ),
  minimum_gps_level: ofObject(
    NUMBER,
    'A position is accepted only if its GPS quality level is at least this.',
    0,
    ({ object }) => object.accuracy.minimumGpsLevel,
  ),
  idle_speed_threshold: ofObject(
    NUMBER,
    'Speed in km/h, regardless of the unit of the organization, above which the object is idle and not stopped.',
    3,
    ({ object }) => object.accuracy.idleSpeedThreshold,
  ),
  minimum_moving_speed: ofObject(
    NUMBER,
    'Speed in km/h, regardless of the unit of the organization, from which an object counts as moving.',
    5,
    ({ object }) => object.accuracy.minimumMovingSpeed,
  ),
  distance_source: ofObject(
    TEXT,
    'The source of distances: `gps`, the positions, or `odometer`, the device’s odometer.',
    'gps',
    ({ object }) => object.accuracy.distanceSource,
  ),
  stop_detection_method: ofObject(
    TEXT,
    'How stops are detected: by `speed`, or by `ignition`. With `ignition`, the object stops only when its ignition is off.',
    'speed',
    ({ object }) => object.accuracy.stopDetectionMethod,
  ),
}

const TIMES = {
  time_server: ofObject(
    optional(INSTANT),
    'When the server last received a packet of the object. Null if it never has.',
    '2026-11-20T10:00:01.250Z',
    ({ state }) => state.timeServer,
  ),
  time_device: ofObject(
    optional(INSTANT),
    'When the GPS of the device took the latest position. Null if there is none.',
    '2026-11-20T10:00:00.000Z',
    ({ state }) => state.lastFix?.timeDevice,
  ),
  time_last_idle: ofObject(
    optional(INSTANT),
    'When the object was last detected idle. Null if it never was.',
    '2026-11-20T09:41:10.000Z',
    ({ state }) => state.timeLastIdle,
  ),
  time_last_move: ofObject(
    optional(INSTANT),
    'When the object was last detected moving. Null if it never was.',
    '2026-11-20T10:00:00.000Z',
    ({ state }) => state.timeLastMove,
  ),
  time_last_stop: ofObject(
    optional(INSTANT),
    'When the object was last detected stopped. Null if it never was.',
    '2026-11-20T09:12:45.000Z',
    ({ state }) => state.timeLastStop,
  ),
}

/** Those that positions count. Until then the object has its own. */
const COUNTERS = {
  engine_hours: ofObject(
    AMOUNT,
    'Accumulated engine hours, 3 decimals. Null if unknown.',
    4312.75,
    ({ object, state }) => engineHoursOf(object, state.fold),
  ),
  odometer: ofObject(
    AMOUNT,
    'Odometer in the distance unit of the organization (km or mi), 2 decimals. Null if unknown.',
    128540.37,
    ({ object, state }, unit) => distanceOf('odometer', object, state.fold, unit),
  ),
  mileage: ofObject(
    AMOUNT,
    'Distance of the current trip, or of the last one while the object is stopped, in the distance unit of the organization (km or mi), 2 decimals. Null if unknown.',
    12.84,
    ({ object, state }, unit) => distanceOf('mileage', object, state.fold, unit),
  ),
}

const ADDRESS = ofObject(
  optional(TEXT),
  'Latest known address. Null if none is known.',
  'Kennedy Cd. 14, Fatih',
  ({ object, state }) => state.address?.value ?? object.address,
)

/** The fields of an object in a list. */
export const OBJECT_FIELDS = {
  id: ofObject(ID, 'Id of the object.', 1071, ({ object }) => object.id),
  name: ofObject(TEXT, 'Display name of the object.', 'Van 71', ({ object }) => object.name),
  ident: ofObject(
    TEXT,
    'The device’s own identifier, an IMEI or similar, unique in the organization.',
    '356307042441013',
    ({ object }) => object.ident,
  ),
  ...TIMES,
  engine_hours: COUNTERS.engine_hours,
  engine_hours_type: ofObject(
    COUNTER_TYPE,
    counterType('engine_hours'),
    'system',
    ({ object }) => object.engineHoursType,
  ),
  odometer: COUNTERS.odometer,
  odometer_type: ofObject(
    COUNTER_TYPE,
    counterType('odometer'),
    'sensor',
    ({ object }) => object.odometerType,
  ),
  vehicle_data: nested(VEHICLE_FIELDS),
  mileage: COUNTERS.mileage,
  address: ADDRESS,
  accuracy: nested(ACCURACY_FIELDS),
  created_at: ofObject(
    INSTANT,
    'When the record was created.',
    '2026-03-02T08:15:00.000Z',
    ({ object }) => object.createdAt,
  ),
}

/** The last value of a field of positions. */
function lastOf(name: 'altitude' | 'angle' | 'speed') {
  const { description, examples } = FIELDS[name]
  return [description, examples[0]!] as const
}

/** Where an object is. */
const LOCATION_FIELDS = {
  latitude: ofObject(
    optional(plain<number>(LATITUDE.schema)),
    'Current latitude in degrees (WGS 84), 7 decimals. Null if unknown.',
    FIELDS.latitude.examples[0]!,
    ({ state: { lastFix } }) => lastFix && degrees(lastFix.latitude),
  ),
  longitude: ofObject(
    optional(plain<number>(LONGITUDE.schema)),
    'Current longitude in degrees (WGS 84), 7 decimals. Null if unknown.',
    FIELDS.longitude.examples[0]!,
    ({ state: { lastFix } }) => lastFix && degrees(lastFix.longitude),
  ),
  altitude: ofObject(
    optional(NUMBER),
    ...lastOf('altitude'),
    ({ state: { lastFix } }) => lastFix && rounded(lastFix.altitude, DECIMALS.measure),
  ),
  angle: ofObject(
    optional(plain<number>({ type: 'number', minimum: 0, maximum: 360 })),
    ...lastOf('angle'),
    ({ state: { lastFix } }) => lastFix && rounded(lastFix.angle, DECIMALS.measure),
  ),
  speed: ofObject(
    AMOUNT,
    ...lastOf('speed'),
    ({ state: { lastFix } }, unit) => lastFix && measure(lastFix.speed, unit),
  ),
}

/** The fields of an object with where it is. */
export const DETAIL_FIELDS = { ...OBJECT_FIELDS, ...LOCATION_FIELDS }

/** The fields of an object that positions change. */
export const STATE_FIELDS = {
  id: OBJECT_FIELDS.id,
  ...TIMES,
  ...COUNTERS,
  address: ADDRESS,
  ...LOCATION_FIELDS,
}
