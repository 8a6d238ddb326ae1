import fc from 'fast-check'
import type {
  DerivedRecord,
  LevelChange,
  Stop,
  Trip,
  TripPoint,
  Visit,
} from '../src/base/domain/record.ts'
import { anyCounters, anyDecimal, anyMoment, anyText, degrees, known } from './any-fix.ts'

const duration = fc.nat(10_000_000_000)
const id = fc.integer({ min: 1, max: 2 ** 40 })
const box = fc.record(
  { west: degrees(180), south: degrees(90), east: degrees(180), north: degrees(90) },
  { noNullPrototype: true },
)

const anySpan = fc
  .record({ start: anyMoment, duration, isOpen: fc.boolean() })
  .map(({ start, duration: length, isOpen }) => {
    const until = start + length
    return { start, until, end: isOpen ? null : until }
  })

const anyPoint = fc.record(
  { latitude: degrees(90), longitude: degrees(180), address: known(anyText) },
  { noNullPrototype: true },
)
const at = (time: number) =>
  fc.tuple(anyPoint, anyCounters).map(
    ([point, { odometer, engineHours }]): TripPoint => ({
      time,
      ...point,
      odometer,
      engineHours,
    }),
  )

const sums = { idleTime: duration, positions: fc.nat(), longestGap: duration, box }

const anyTrip: fc.Arbitrary<Trip> = anySpan.chain((span) =>
  fc.record(
    {
      kind: fc.constant('trip' as const),
      ...constant(span),
      from: at(span.start),
      to: span.end === null ? fc.constant(null) : at(span.end),
      distance: known(fc.integer({ min: -1_000, max: 10 ** 12 })),
      silentTime: duration,
      movingTime: duration,
      maxSpeed: known(anyDecimal(250, 6)),
      ...sums,
    },
    { noNullPrototype: true },
  ),
)

const anyStop: fc.Arbitrary<Stop> = anySpan.chain((span) =>
  fc
    .record(
      {
        kind: fc.constant('stop' as const),
        ...constant(span),
        point: anyPoint,
        geofences: fc.array(id, { maxLength: 3 }),
        sites: fc.array(id, { maxLength: 3 }),
        ...sums,
      },
      { noNullPrototype: true },
    )
    .map(({ point, ...stop }) => ({ ...stop, ...point })),
)

const anyLevel: fc.Arbitrary<LevelChange> = fc
  .tuple(
    anyStop,
    fc.record({
      attribute: id,
      change: fc.constantFrom('filled', 'drained'),
      amount: fc.nat(),
      before: fc.integer(),
      after: fc.integer(),
      decimals: fc.nat(6),
      isOpen: fc.boolean(),
      reach: fc.tuple(duration, duration),
    }),
  )
  .map(
    ([
      stop,
      {
        reach: [earlier, later],
        ...change
      },
    ]) => ({
      ...{ ...stop, ...change, kind: 'level', end: stop.until },
      reach: { from: Math.max(0, stop.start - earlier), to: stop.until + later },
    }),
  )

const anyVisit: fc.Arbitrary<Visit> = anySpan.chain((span) =>
  fc.record(
    {
      kind: fc.constant('visit' as const),
      placeType: fc.constantFrom('geofence', 'site'),
      place: id,
      ...constant(span),
      before: known(fc.integer({ min: 0, max: span.start })),
      after: span.end === null ? fc.constant(null) : known(fc.constant(span.until + 1_000)),
      distance: known(fc.integer({ min: -1_000, max: 10 ** 12 })),
      positions: fc.nat(),
    },
    { noNullPrototype: true },
  ),
)

function constant<T extends object>(values: T) {
  return Object.fromEntries(
    Object.entries(values).map(([field, value]) => [field, fc.constant(value)]),
  ) as { [Field in keyof T]: fc.Arbitrary<T[Field]> }
}

/** Any record whose values a table can hold. */
export const anyRecord: fc.Arbitrary<DerivedRecord> = fc.oneof(anyTrip, anyStop, anyVisit, anyLevel)
