import Type from 'typebox'
import { instant, nullableNumber, record } from './kinds.ts'
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
