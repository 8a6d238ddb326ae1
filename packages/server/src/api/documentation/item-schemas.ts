import Type from 'typebox'
import {
  counterType,
  createdAt,
  currentAttributes,
  engineHours,
  identity,
  LATITUDE,
  LONGITUDE,
  mileage,
  nullableInstant,
  nullableNumber,
  nullableString,
  odometer,
  record,
  recordWith,
} from './kinds.ts'
import { fieldSchema } from './position-schemas.ts'

/** Objects and places as answers show them. Fields are in the order in which they are written. */

export const vehicleData = record(
  {
    vin: nullableString({
      description: 'Vehicle Identification Number. Null if none is set.',
      examples: ['WDB9634031L123459'],
    }),
    plate_number: nullableString({
      description: 'Plate number. Null if none is set.',
      examples: ['34 FG 1071'],
    }),
  },
  'Identity of the vehicle.',
)

export const accuracy = record(
  {
    device_timezone: Type.String({
      description: 'IANA name of the time zone that the device uses.',
      examples: ['UTC'],
    }),
    maximum_hdop: Type.Number({
      description:
        'A position is accepted only if its horizontal dilution of precision is at most this.',
      examples: [10],
    }),
    minimum_difference_point: Type.Number({
      description: 'Minimum distance in metres between two positions that are both accepted.',
      examples: [0],
    }),
    minimum_gps_level: Type.Number({
      description: 'A position is accepted only if its GPS quality level is at least this.',
      examples: [0],
    }),
    idle_speed_threshold: Type.Number({
      description:
        'Speed in km/h, whatever the unit of the organization, above which the object is idle and not stopped.',
      examples: [3],
    }),
    minimum_moving_speed: Type.Number({
      description:
        'Speed in km/h, whatever the unit of the organization, from which an object counts as moving.',
      examples: [5],
    }),
    distance_source: Type.String({
      description:
        'The source of distances: `gps`, the positions, or `odometer`, that of the device.',
      examples: ['gps'],
    }),
    stop_detection_method: Type.String({
      description:
        'How stops are detected: by `speed`, or by `ignition`. With `ignition`, the object stops only when its ignition is off.',
      examples: ['speed'],
    }),
  },
  'How positions of the object are accepted and its movement detected.',
)

const listItemFields = {
  ...identity,
  time_server: nullableInstant({
    description: 'When the server last received a packet of the object. Null if it never has.',
    examples: ['2026-11-20T10:00:01.250Z'],
  }),
  time_device: nullableInstant({
    description: 'When the GPS of the device took the latest position. Null if there is none.',
    examples: ['2026-11-20T10:00:00.000Z'],
  }),
  time_last_idle: nullableInstant({
    description: 'When the object was last detected idle. Null if it never was.',
    examples: ['2026-11-20T09:41:10.000Z'],
  }),
  time_last_move: nullableInstant({
    description: 'When the object was last detected moving. Null if it never was.',
    examples: ['2026-11-20T10:00:00.000Z'],
  }),
  time_last_stop: nullableInstant({
    description: 'When the object was last detected stopped. Null if it never was.',
    examples: ['2026-11-20T09:12:45.000Z'],
  }),
  engine_hours: engineHours('Accumulated engine hours, 3 decimals. Null if unknown.'),
  engine_hours_type: counterType('engine_hours'),
  odometer: odometer(
    'Odometer in the distance unit of the organization (km or mi), 2 decimals. Null if unknown.',
  ),
  odometer_type: counterType('odometer'),
  vehicle_data: vehicleData,
  mileage: mileage(
    'Distance of the current trip, or of the last one while the object is stopped, in the distance unit of the organization (km or mi), 2 decimals. Null if unknown.',
  ),
  address: nullableString({
    description: 'Latest known address. Null if none is known.',
    examples: ['Kennedy Cd. 14, Fatih'],
  }),
  accuracy,
  created_at: createdAt,
}

export const objectListItem = record(
  listItemFields,
  'A tracked vehicle or asset. Its position is not part of the list: see its detail, or the latest positions.',
)

/** The fields of a detail that each one has. */
export const detailFields = {
  ...listItemFields,
  latitude: nullableNumber({
    description: 'Current latitude in degrees (WGS 84), 7 decimals. Null if unknown.',
    ...LATITUDE,
  }),
  longitude: nullableNumber({
    description: 'Current longitude in degrees (WGS 84), 7 decimals. Null if unknown.',
    ...LONGITUDE,
  }),
  altitude: fieldSchema('altitude'),
  angle: fieldSchema('angle'),
  speed: fieldSchema('speed'),
}

export const objectDetail = recordWith(
  detailFields,
  currentAttributes,
  'A tracked vehicle or asset with a snapshot of where it is. The five location fields are null while no snapshot is available.',
)
