import fc from 'fast-check'
import { FIX_LIMITS } from '../src/base/domain/position/fix.ts'
import { COORDINATE_SCALE, MICRO } from '../src/base/domain/position/fix-record.ts'
import {
  type CounterReading,
  type FoldState,
  SILENCES,
  type Spot,
} from '../src/base/domain/position/fold-state.ts'
import { HOUR_MS } from '../src/base/domain/time/time.ts'
import { anyCounters, anyMoment, known } from './any-fix.ts'

/** As records have them. */
const anyDegrees = (most: number) =>
  fc
    .integer({ min: -most * COORDINATE_SCALE, max: most * COORDINATE_SCALE })
    .map((whole) => whole / COORDINATE_SCALE)

const anySpot: fc.Arbitrary<Spot> = fc.record(
  {
    time: anyMoment,
    latitude: anyDegrees(90),
    longitude: anyDegrees(180),
  },
  { noNullPrototype: true },
)

const anySpeed = known(fc.integer({ min: 0, max: 400 * MICRO }).map((speed) => speed / MICRO))

function anyReading(most: number): fc.Arbitrary<CounterReading> {
  const value = fc.integer({ min: 0, max: most })
  const at = anyMoment
  return fc.record(
    {
      value,
      grewAt: at,
      doubted: known(fc.record({ value, at }, { noNullPrototype: true })),
      before: known(
        fc.record({ value, grewAt: at, droppedAt: at, counted: value }, { noNullPrototype: true }),
      ),
    },
    { noNullPrototype: true },
  )
}

/** Any track. Its pointers to the newest fix share one spot, as in most real tracks. */
export const anyFoldState: fc.Arbitrary<FoldState> = fc
  .record(
    {
      here: anySpot,
      last: known(anySpot),
      anchor: known(anySpot),
      shown: known(anySpot),
      isSuspect: fc.boolean(),
      suspectSpeed: anySpeed,
      lastSpeed: anySpeed,
      before: known(anySpot),
      start: known(anySpot),
      origin: known(anySpot),
      group: known(
        fc.record(
          { since: anyMoment, count: fc.integer({ min: 1, max: 1_000 }) },
          { noNullPrototype: true },
        ),
      ),
      repeats: known(
        fc.record({ since: anyMoment, speedSince: known(anyMoment) }, { noNullPrototype: true }),
      ),
      joins: fc.boolean(),
      motion: fc.constantFrom(null, 'stopped', 'idle', 'moving'),
      moved: fc.boolean(),
      parked: fc.boolean(),
      running: fc.boolean(),
      silence: fc.constantFrom(...SILENCES),
      doubtedAt: fc.oneof(known(anyMoment), fc.constant('here' as const)),
      activeAt: fc.oneof(known(anyMoment), fc.constant('here' as const)),
      tripFrom: fc.oneof(known(anyMoment), fc.constant('here' as const)),
      counters: anyCounters,
      odometerReading: known(anyReading(FIX_LIMITS.odometer * MICRO)),
      engineHoursReading: known(anyReading(FIX_LIMITS.engineHours * HOUR_MS)),
    },
    { noNullPrototype: true },
  )
  .map(({ here, last, anchor, shown, isSuspect, suspectSpeed, counters, ...fields }) => ({
    at: here.time,
    last: last ?? here,
    anchor: anchor ?? here,
    shown: shown ?? here,
    suspect: isSuspect ? here : null,
    suspectSpeed: isSuspect ? suspectSpeed : null,
    ...counters,
    ...fields,
    activeAt: fields.activeAt === 'here' ? here.time : fields.activeAt,
    doubtedAt: fields.doubtedAt === 'here' ? here.time : fields.doubtedAt,
    tripFrom: fields.tripFrom === 'here' ? here.time : fields.tripFrom,
  }))
