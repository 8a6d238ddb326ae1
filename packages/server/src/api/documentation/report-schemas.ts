import Type from 'typebox'
import { idOf, instant, nullableBoolean, nullableInstant, nullableNumber, record } from './kinds.ts'
import { ofObject, seconds } from './record-schemas.ts'

/** Reports: the server computes them from positions when it is asked. Fields are in the order in which they are written. */

const counter = (description: string, example: number) =>
  nullableNumber({ description, minimum: 0, examples: [example] })

export const day = record(
  {
    ...ofObject,
    date: Type.String({
      description: 'The day in the time zone.',
      format: 'date',
      examples: ['2026-11-20'],
    }),
    distance: counter(
      'The exact difference of the odometer since the last position before the day, rounded once. Null without an odometer.',
      184.27,
    ),
    trips: Type.Integer({
      description: 'Trips that start on the day, by the rules of `/trips`.',
      minimum: 0,
      examples: [6],
    }),
    moving_time: seconds('Time in motion', 14820),
    idle_time: seconds('Time at a standstill with the engine on', 2130),
    stopped_time: seconds('Time at a standstill with the engine off', 69450),
    first_time: instant({
      description: 'The first position of the day.',
      examples: ['2026-11-19T21:00:00.000Z'],
    }),
    last_time: instant({
      description: 'The last position of the day.',
      examples: ['2026-11-20T20:59:30.000Z'],
    }),
    max_speed: counter(
      'The greatest speed of the positions of the day. Null where none is known.',
      88.3,
    ),
    start_odometer: counter('Odometer at the last position before the day.', 128402.1),
    end_odometer: counter('Odometer at the last position of the day.', 128586.37),
    start_engine_hours: counter('Engine hours at the last position before the day.', 4308.021),
    end_engine_hours: counter('Engine hours at the last position of the day.', 4312.73),
    positions: Type.Integer({
      description: 'Positions of the history on the day.',
      minimum: 0,
      examples: [1482],
    }),
  },
  'The totals of an object on a local day. A leg, the way and time between two neighbouring positions, belongs to the day in which it ends. So the days of an object add up to its odometer.',
)

const positionsOfDay = (description: string, example: number) =>
  Type.Integer({ description, minimum: 0, examples: [example] })

const digest = (fields: string) =>
  Type.String({
    description: `The sum modulo 2^256 of the SHA-256 digests of the rows, each in the form of RFC 8785 with ${fields} alone. 64 lowercase hexadecimal digits; the order of the rows does not matter.`,
    pattern: '^[0-9a-f]{64}$',
    examples: ['5c0d1e7f9a6b3c2d4e8f00112233445566778899aabbccddeeff0123456789ab'],
  })

export const coverage = record(
  {
    ...ofObject,
    date: Type.String({
      description: 'The day in UTC.',
      format: 'date',
      examples: ['2026-11-20'],
    }),
    positions: positionsOfDay('Positions of the history on the day.', 1482),
    first_time: nullableInstant({
      description: 'The first position of the day. Null without positions.',
      examples: ['2026-11-20T05:12:10.000Z'],
    }),
    last_time: nullableInstant({
      description: 'The last position of the day. Null without positions.',
      examples: ['2026-11-20T20:59:30.000Z'],
    }),
    longest_gap: nullableNumber({
      description:
        'The longest time between two neighbouring positions of the day, in whole seconds. Null without positions.',
      minimum: 0,
      examples: [1740],
    }),
    late: positionsOfDay('Positions that came more than an hour after they were taken.', 12),
    worst_lateness: nullableNumber({
      description:
        'The longest time between the taking of a position and its arrival, in whole seconds. Null without positions.',
      minimum: 0,
      examples: [5400],
    }),
    rejected: Type.Unsafe<Record<string, number> | null>({
      type: ['object', 'null'],
      additionalProperties: { type: 'integer', minimum: 1 },
      description:
        'Packets that were not accepted, by reason. A packet belongs to the day of its `time_device`, or of its arrival if that is earlier. Null for a day of which you see a part, because of the retention or the scope of your key.',
      examples: [{ hdop_above_maximum: 3 }],
    }),
    changed_at: nullableInstant({
      description:
        'When the positions of the day last changed, as far as the server has noticed: from the first question about the day on. Before, when its last position came. Null without positions.',
      examples: ['2026-11-20T20:59:31.250Z'],
    }),
    digest: digest(
      '`id`, `time_device`, `time_server`, `latitude`, `longitude`, `altitude`, `angle` and `speed`',
    ),
    counters_digest: digest('`id`, `time_device` and `exact`'),
  },
  'The positions of an object on a day in figures, to compare a copy with.',
)

const metres = (description: string, example: number) => ({
  description: `${description}, in metres along the ellipsoid (WGS 84).`,
  minimum: 0,
  examples: [example],
})

export const deviation = record(
  {
    start_time: instant({
      description: 'The first position outside.',
      examples: ['2026-11-20T09:44:20.000Z'],
    }),
    end_time: instant({
      description: 'The last position outside, before a return of more than 2 minutes.',
      examples: ['2026-11-20T09:46:10.000Z'],
    }),
    greatest_distance: Type.Number(
      metres('The greatest distance of a position from the route', 412.7),
    ),
  },
  'A time in which an object was farther from a route than its `deviation`.',
)

export const waypointVisit = record(
  {
    order: Type.Integer({ description: 'Place in the sequence of waypoints.', examples: [1] }),
    nearest_distance: nullableNumber(
      metres('Distance of the nearest position. Null without a position', 18.4),
    ),
    time: nullableInstant({
      description: 'The time of that position.',
      examples: ['2026-11-20T09:41:10.000Z'],
    }),
    visited_in_order: nullableBoolean({
      description:
        'Whether a position was within the `deviation` of it, after the waypoints before it that were visited in order. Null where the route has no `deviation`.',
      examples: [true],
    }),
  },
  'How near an object came to a waypoint of a route.',
)

export const adherence = record(
  {
    route_id: idOf('route', [7]),
    ...ofObject,
    deviation: nullableNumber(
      metres('The allowed deviation of the route. Null where none is set', 100),
    ),
    distance: counter(
      'Distance driven in the range, by the odometer. Null without an odometer or a position.',
      7.31,
    ),
    share_inside: nullableNumber({
      description:
        'The part of the distance within the `deviation`, 0 to 1, with 4 decimals. Null without a deviation or a distance.',
      minimum: 0,
      maximum: 1,
      examples: [0.9312],
    }),
    deviations: Type.Array(deviation, {
      description: 'Ascending. Empty where the route has no `deviation`.',
    }),
    waypoints: Type.Array(waypointVisit, { description: 'By `order`, ascending.' }),
  },
  'How an object kept to a route in a range of time. Positions that are not believed do not count.',
)
