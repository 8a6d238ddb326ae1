import Type from 'typebox'
import {
  idOf,
  instant,
  LATITUDE,
  LONGITUDE,
  nullableInstant,
  nullableNumber,
  nullableString,
  record,
  updatedAt,
} from './kinds.ts'

/** Derived records as answers show them. Fields are in the order in which they are written. */

export const ofObject = {
  object_id: idOf('object', [1071]),
  ident: Type.String({ description: 'Ident of the object.', examples: ['356307042441013'] }),
  name: Type.String({ description: 'Name of the object.', examples: ['Van 71'] }),
}

const own = (thing: string) => ({ id: idOf(thing, [48211]), ...ofObject })

const state = {
  open: Type.Boolean({
    description: 'Whether it is under way. Then its end is null.',
    examples: [false],
  }),
  revision: Type.Integer({ description: 'Grows with every change.', minimum: 1, examples: [3] }),
  updated_at: updatedAt,
}

export const seconds = (description: string, example: number) =>
  Type.Integer({
    description: `${description}, in whole seconds.`,
    minimum: 0,
    examples: [example],
  })

const positions = Type.Integer({
  description: 'Positions of the history from its start to its end, both included.',
  minimum: 0,
  examples: [64],
})
const duration = seconds('From its start to its end, or to the newest position so far', 640)
const longestGap = seconds('The longest time between two positions', 20)
const DISTANCE = { minimum: 0, examples: [7.31] }
const address = (of: string) =>
  nullableString({
    description: `Address of ${of}, as in the history. Null where unknown.`,
    examples: ['Kennedy Cd. 14, Fatih'],
  })

const startFields = {
  start_time: instant({
    description: 'The position from which its first distance was counted.',
    examples: ['2026-11-20T09:41:10.000Z'],
  }),
  start_latitude: Type.Number({ description: 'Degrees (WGS 84).', ...LATITUDE }),
  start_longitude: Type.Number({ description: 'Degrees (WGS 84).', ...LONGITUDE }),
  start_address: address('the start'),
  start_odometer: nullableNumber({
    description: 'Odometer at the start, in the distance unit of the organization.',
    minimum: 0,
    examples: [128533.06],
  }),
  start_engine_hours: nullableNumber({
    description: 'Engine hours at the start.',
    minimum: 0,
    examples: [4312.572],
  }),
}

const endFields = {
  end_time: nullableInstant({
    description:
      'The first standing position after its last counted distance. Null while it is open.',
    examples: ['2026-11-20T09:51:50.000Z'],
  }),
  end_latitude: nullableNumber({ description: 'Degrees (WGS 84).', ...LATITUDE }),
  end_longitude: nullableNumber({ description: 'Degrees (WGS 84).', ...LONGITUDE }),
  end_address: address('the end'),
  end_odometer: nullableNumber({
    description: 'Odometer at the end.',
    minimum: 0,
    examples: [128540.37],
  }),
  end_engine_hours: nullableNumber({
    description: 'Engine hours at the end.',
    minimum: 0,
    examples: [4312.75],
  }),
}

export const trip = record(
  {
    ...own('trip'),
    ...startFields,
    ...endFields,
    distance: nullableNumber({
      description:
        'The exact difference of the odometer since the end of the trip before, rounded once. Null without an odometer.',
      ...DISTANCE,
    }),
    duration,
    moving_time: seconds('Time in motion', 520),
    idle_time: seconds('Time at a standstill with the engine on', 60),
    max_speed: nullableNumber({
      description: 'The greatest speed of its positions. Null where none is known.',
      minimum: 0,
      examples: [71.4],
    }),
    average_speed: nullableNumber({
      description: 'Distance by duration. Null where one of them is missing.',
      minimum: 0,
      examples: [41.12],
    }),
    positions,
    longest_gap: longestGap,
    ...state,
  },
  'A trip of an object: from the position where its first distance is counted to the first standing position after the last one.',
)

const ids = (things: string, examples: number[][]) =>
  Type.Array(Type.Integer({ minimum: 0 }), {
    description: `Ids of the ${things} that contain its first position.`,
    examples,
  })

export const stop = record(
  {
    ...own('stop'),
    start_time: instant({
      description: 'Its first position.',
      examples: ['2026-11-20T09:12:45.000Z'],
    }),
    end_time: nullableInstant({
      description: 'Its last position, where the next trip starts. Null while it is open.',
      examples: ['2026-11-20T09:41:10.000Z'],
    }),
    latitude: Type.Number({ description: 'Degrees (WGS 84).', ...LATITUDE }),
    longitude: Type.Number({ description: 'Degrees (WGS 84).', ...LONGITUDE }),
    address: address('the first position'),
    duration,
    idle_time: seconds('Time with the engine on', 60),
    positions,
    longest_gap: longestGap,
    geofence_ids: ids('geofences', [[12]]),
    site_ids: ids('sites', [[31]]),
    ...state,
  },
  'A stop of an object, between two trips.',
)

export const visit = record(
  {
    ...own('visit'),
    place_type: Type.Enum(['geofence', 'site'], {
      type: 'string',
      description: 'The type of the place.',
      examples: ['site'],
    }),
    place_id: idOf('place', [31]),
    place_name: nullableString({
      description: 'The current name of the place. Null if it was deleted a moment ago.',
      examples: ['Main depot'],
    }),
    start_time: instant({
      description: 'The first position inside.',
      examples: ['2026-11-20T09:12:05.000Z'],
    }),
    end_time: nullableInstant({
      description:
        'The last position inside, before an absence of more than 2 minutes. Null while it is open.',
      examples: ['2026-11-20T09:42:10.000Z'],
    }),
    before_time: nullableInstant({
      description: 'The position outside before it. Null if there is none.',
      examples: ['2026-11-20T09:11:55.000Z'],
    }),
    after_time: nullableInstant({
      description: 'The first position outside after it. Null while it is open.',
      examples: ['2026-11-20T09:42:20.000Z'],
    }),
    duration,
    distance: nullableNumber({
      description:
        'Distance between its first and its last position inside. Null without an odometer.',
      ...DISTANCE,
    }),
    positions,
    ...state,
  },
  'A stay of an object in a geofence or within the radius of a site.',
)
