import fc from 'fast-check'
import { SENT, type SentKey, type SentQuantity } from '../src/base/domain/position/field-lists.ts'
import { FIX_LIMITS, type Fix } from '../src/base/domain/position/fix.ts'
import { MICRO } from '../src/base/domain/position/fix-record.ts'
import type { Counters } from '../src/base/domain/position/fold-state.ts'
import { HOUR_MS } from '../src/base/domain/time/time.ts'

/** The worst texts of devices and geocoders: quotes, controls, several scripts, emoji. */
export const anyText = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
      fc.constantFrom('"', '\\', '\\u0041', '\0', '\b', '\t', '\n', '\f', '\r', '\x1b', '\x7f'),
      fc.constantFrom('\ufeff', '\u2028', '\u2029', 'ş', 'Ж', 'ع', '漢', '🚚', '👩🏽‍🚒'),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))

/** A number from 0 to `limit` with at most `decimals` decimals, often with few digits. */
export function anyDecimal(limit: number, decimals: number): fc.Arbitrary<number> {
  const scale = 10 ** decimals
  return fc
    .oneof(
      fc.maxSafeNat().map((scaled) => scaled % (limit * scale + 1)),
      fc.nat(Math.min(limit * scale, 100_000)),
      fc.constantFrom(0, limit * scale),
    )
    .map((scaled) => scaled / scale)
}

export const anyMoment = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) })

const either = (value: fc.Arbitrary<number>) =>
  fc.tuple(value, fc.boolean()).map(([size, negative]) => (negative ? -size : size) + 0)

/** From -`limit` to `limit`, with at most seven decimals. */
export const degrees = (limit: number) => either(anyDecimal(limit, 7))

export const known = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })

/** Any number that devices send, or none. */
const anySent = ({ key, minimum, maximum, scale }: SentQuantity) => {
  const decimals = key === 'engineHours' ? 3 : Math.log10(scale)
  const size = anyDecimal(maximum, decimals)
  return [key, known(minimum < 0 ? either(size) : size)] as const
}

/** Any fix that `fixFault` accepts and that is stored exactly. */
export const anyFix: fc.Arbitrary<Fix> = fc.record(
  {
    timeDevice: anyMoment,
    timeServer: anyMoment,
    latitude: degrees(90),
    longitude: degrees(180),
    ...(Object.fromEntries(SENT.map(anySent)) as Record<SentKey, fc.Arbitrary<number | null>>),
    ignition: known(fc.boolean()),
    corrected: fc.boolean(),
    address: known(anyText),
    // `any-attributes.ts` adds some, with the names of their object.
    attributes: fc.constant(null),
  },
  { noNullPrototype: true },
)

/**
 * A value up to a limit, often halfway between two values of an answer, in hundredths of a km and of a
 * mile.
 */
const millimetres = (km: number) =>
  fc.oneof(
    anyDecimal(km * MICRO, 0),
    fc.nat(400_000_000).map((n) => n * 5_000),
    fc.nat(400_000_000).map((n) => n * 201_168),
  )

/** The same, in thousandths of an hour. */
const milliseconds = fc.oneof(
  anyDecimal(FIX_LIMITS.engineHours * HOUR_MS, 0),
  fc.nat(1_000_000_000).map((n) => n * 1_800),
)

/** Any counters that fit into a record. */
export const anyCounters: fc.Arbitrary<Counters> = fc.record(
  {
    engineHours: known(milliseconds),
    odometer: known(millimetres(FIX_LIMITS.odometer)),
    mileage: known(millimetres(FIX_LIMITS.mileage)),
  },
  { noNullPrototype: true },
)
