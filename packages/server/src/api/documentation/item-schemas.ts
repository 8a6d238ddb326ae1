import Type from 'typebox'
import {
  altitude,
  angle,
  counterType,
  createdAt,
  engineHours,
  idOf,
  instant,
  LATITUDE,
  LONGITUDE,
  mileage,
  nullableBoolean,
  nullableInstant,
  nullableNumber,
  nullableString,
  odometer,
  record,
  recordWith,
  speed,
} from './kinds.ts'

/** Objects, positions and places as answers show them. Fields are in the order in which they are written. */

export const vehicleData = record(
  {
    vin: nullableString({
      description: 'Vehicle Identification Number. Null where none is set.',
      examples: ['WDB9634031L123459'],
    }),
    plate_number: nullableString({
      description: 'Plate number. Null where none is set.',
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
        'A position is accepted only where its horizontal dilution of precision is at most this.',
      examples: [10],
    }),
    minimum_difference_point: Type.Number({
      description: 'Minimum distance in metres between two positions that are both accepted.',
      examples: [0],
    }),
    minimum_gps_level: Type.Number({
      description: 'A position is accepted only where its GPS quality level is at least this.',
      examples: [0],
    }),
    idle_speed_threshold: Type.Number({
      description:
        'Speed in km/h, in any unit of the organization, above which the object is idle and not stopped.',
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
        'How stops are detected: by `speed`, or by `ignition`: only one that is off stops the object.',
      examples: ['speed'],
    }),
  },
  'How positions of the object are accepted and its movement detected.',
)

const identity = {
  id: idOf('object', [1071]),
  name: Type.String({ description: 'Display name of the object.', examples: ['Van 71'] }),
  ident: Type.String({
    description: 'The device’s own identifier, an IMEI or similar, unique in the organization.',
    examples: ['356307042441013'],
  }),
}

const listItemFields = {
  ...identity,
  time_server: nullableInstant({
    description: 'When the server last received a packet of the object. Null where it never has.',
    examples: ['2026-11-20T10:00:01.250Z'],
  }),
  time_device: nullableInstant({
    description: 'When the GPS of the device took the latest position. Null where there is none.',
    examples: ['2026-11-20T10:00:00.000Z'],
  }),
  time_last_idle: nullableInstant({
    description: 'When the object was last detected idle. Null where it never was.',
    examples: ['2026-11-20T09:41:10.000Z'],
  }),
  time_last_move: nullableInstant({
    description: 'When the object was last detected moving. Null where it never was.',
    examples: ['2026-11-20T10:00:00.000Z'],
  }),
  time_last_stop: nullableInstant({
    description: 'When the object was last detected stopped. Null where it never was.',
    examples: ['2026-11-20T09:12:45.000Z'],
  }),
  engine_hours: engineHours('Accumulated engine hours, 3 decimals. Null where unknown.'),
  engine_hours_type: counterType('engine_hours'),
  odometer: odometer(
    'Odometer in the distance unit of the organization (km or mi), 2 decimals. Null where unknown.',
  ),
  odometer_type: counterType('odometer'),
  vehicle_data: vehicleData,
  mileage: mileage(
    'Distance of the current trip, or of the last one while the object is stopped, in the distance unit of the organization (km or mi), 2 decimals. Null where unknown.',
  ),
  address: nullableString({
    description: 'Latest known address. Null where none is known.',
    examples: ['Kennedy Cd. 14, Fatih'],
  }),
  accuracy,
  created_at: createdAt,
}

export const objectListItem = record(
  listItemFields,
  'A tracked vehicle or asset. Its position is not part of the list: see its detail, or the latest positions.',
)

export const objectDetail = record(
  {
    ...listItemFields,
    latitude: nullableNumber({
      description: 'Current latitude in degrees (WGS 84), 7 decimals. Null where unknown.',
      ...LATITUDE,
    }),
    longitude: nullableNumber({
      description: 'Current longitude in degrees (WGS 84), 7 decimals. Null where unknown.',
      ...LONGITUDE,
    }),
    altitude,
    angle,
    speed,
  },
  'A tracked vehicle or asset with a snapshot of where it is. The five location fields are null while no snapshot is available.',
)

/** The fields of a position row begin in another order than those of an object. */
const ofObject = { id: identity.id, ident: identity.ident, name: identity.name }

const measured = {
  altitude,
  angle,
  speed,
}

const asOfPosition = {
  engine_hours: engineHours(
    'Engine hours as of this position, else those of the object, 3 decimals. Null where unknown.',
  ),
  odometer: odometer(
    'Odometer as of this position, else that of the object, in the distance unit of the organization (km or mi), 2 decimals. Null where unknown.',
  ),
  mileage: mileage(
    'Distance of the trip as of this position, else of the object’s current or last trip, in the distance unit of the organization (km or mi), 2 decimals. Null where unknown.',
  ),
  address: nullableString({
    description:
      'Address of this position, else the last known one of the object. Null where unknown.',
    examples: ['Kennedy Cd. 14, Fatih'],
  }),
}

const counter = (description: string, examples: number[]) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], description, examples })

export const exactCounters = record(
  {
    odometer_mm: counter(
      'Odometer in millimetres. Null where the position has none and shows that of the object.',
      [206866100000],
    ),
    mileage_mm: counter('Mileage in millimetres, exact too.', [12840000]),
    engine_hours_ms: counter('Engine hours in milliseconds, exact too.', [15525900000]),
  },
  'The counters of a position as they are kept, so that nothing is rounded twice. With `include=exact`.',
)

/** The fields that `include` adds to a position. */
const included = {
  ignition: nullableBoolean({
    description: 'Whether the ignition was on. Null where unknown. With `include=quality`.',
    examples: [true],
  }),
  motion: Type.Unsafe<'moving' | 'idle' | 'stopped' | null>({
    type: ['string', 'null'],
    enum: ['moving', 'idle', 'stopped', null],
    description:
      'How the object was moving at this position. Null where unknown. With `include=quality`.',
    examples: ['moving'],
  }),
  hdop: nullableNumber({
    description:
      'Horizontal dilution of precision, 2 decimals. Null where unknown. With `include=quality`.',
    minimum: 0,
    examples: [0.9],
  }),
  gps_level: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'GPS quality level of the device. Null where unknown. With `include=quality`.',
    minimum: 0,
    examples: [12],
  }),
  late: nullableBoolean({
    description:
      'Whether the object already had a newer position when the server stored this one. Null without a position. With `include=quality`.',
    examples: [false],
  }),
  address_source: Type.Unsafe<'own' | 'nearest' | 'last_known' | null>({
    type: ['string', 'null'],
    enum: ['own', 'nearest', 'last_known', null],
    description:
      'The source of `address`: `own`, the packet brought it; `nearest`, a place nearby for which the server knows it; `last_known`, the last one of the object. Null without an address. With `include=quality`.',
    examples: ['own'],
  }),
  exact: exactCounters,
}

export const position = recordWith(
  {
    ...ofObject,
    latitude: Type.Number({
      description: 'Latitude in degrees (WGS 84), 7 decimals.',
      ...LATITUDE,
    }),
    longitude: Type.Number({
      description: 'Longitude in degrees (WGS 84), 7 decimals.',
      ...LONGITUDE,
    }),
    ...measured,
    time_server: instant({
      description: 'When the server received this position.',
      examples: ['2026-11-20T10:00:01.250Z'],
    }),
    time_device: instant({
      description: 'When the GPS of the device took this position.',
      examples: ['2026-11-20T10:00:00.000Z'],
    }),
    ...asOfPosition,
  },
  included,
  'One recorded position of an object.',
)

export const latestPosition = recordWith(
  {
    ...ofObject,
    latitude: nullableNumber({
      description:
        'Latitude in degrees (WGS 84), 7 decimals. Null where there never was a position.',
      ...LATITUDE,
    }),
    longitude: nullableNumber({
      description:
        'Longitude in degrees (WGS 84), 7 decimals. Null where there never was a position.',
      ...LONGITUDE,
    }),
    ...measured,
    time_server: nullableInstant({
      description: 'When the server received this position. Null where there never was one.',
      examples: ['2026-11-20T10:00:01.250Z'],
    }),
    time_device: nullableInstant({
      description: 'When the GPS of the device took this position. Null where there never was one.',
      examples: ['2026-11-20T10:00:00.000Z'],
    }),
    ...asOfPosition,
  },
  included,
  'The latest position of an object: the fields of a recorded position, null where the object never had one.',
)
