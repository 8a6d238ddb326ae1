import type { SentNumber } from './field-lists.ts'

/**
 * A number as a device sent it, in the units of `Fix`. Null if the device says that it does not know it. Undefined if the
 * value cannot be read, or if no vehicle can have it. Senders of formats other than Fleetgate's own use a number below
 * zero for "unknown", where it cannot be a value.
 */
export function sentValue(value: unknown, sent: SentNumber): number | null | undefined {
  if (value === undefined || value === null || value === '') return null
  const number = typeof value === 'number' ? jsonNumber(value) : decimalText(value)
  return number === undefined ? undefined : plausible(number, sent, sent.factor)
}

type Limits = Pick<
  SentNumber,
  'minimum' | 'maximum' | 'isWorseAbove' | 'isZeroUnknown' | 'unknownBelowZero'
>

/** As `sentValue`, of a number that was read, or NaN. `factor`: the units of `Fix` in one of its unit. */
export function plausible(
  number: number,
  limits: Limits,
  factor: number,
): number | null | undefined {
  if (number === 0 && limits.isZeroUnknown) return null
  if (number < 0 && limits.unknownBelowZero) return null
  return withinLimits(limits, number * factor)
}

/** Undefined if no vehicle can have the value. A quality that is worse than its limit is as bad as the limit. */
function withinLimits(
  { minimum, maximum, isWorseAbove }: Limits,
  value: number,
): number | undefined {
  if (isWorseAbove && value > maximum) return maximum
  return value >= minimum && value <= maximum ? value : undefined
}

/** A number in JSON. JSON has no infinity, but 1e999 is one. */
export function jsonNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

// Each digit can match in one way only. With two ways, millions of digits would be tried again and again.
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** A number in a parameter. `Number` alone would take 0x10 and the empty text. */
export function decimalText(value: unknown): number | undefined {
  if (typeof value !== 'string' || !DECIMAL.test(value)) return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}
