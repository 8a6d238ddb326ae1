/**
 * How a silence between two consecutive believed fixes counts:
 * - `same place`: both are near each other. It is part of a stop.
 * - `left from near`: the object stood before it, and moves after it not far away. It is part of a stop.
 * - `trip`: the object was carried or driven somewhere, nobody knows when. It is a trip of its own.
 */
export const SILENCE_CASES = ['same place', 'left from near', 'trip'] as const
export type SilenceCase = (typeof SILENCE_CASES)[number]

/** The silences that a believed fix ended, by the settings of then. A suspect fix ends none. */
export type Silence = {
  /** The silence between the believed fix before and this one. Null: there was none. */
  readonly before: SilenceCase | null
  /** Whether this fix confirmed the suspect one before it, so that this one is the believed fix before. */
  readonly confirms: boolean
  /** Whether there was a silence before the confirmed fix as well. It is a trip, because that fix lies far away. */
  readonly beforeConfirmed: boolean
}

/** All silences by the number that a record has for each. Equal silences are the same object. */
export const SILENCES: readonly (Silence | null)[] = [
  null,
  ...SILENCE_CASES.map((before) => ({ before, confirms: false, beforeConfirmed: false })),
  ...SILENCE_CASES.map((before) => ({ before, confirms: true, beforeConfirmed: false })),
  ...[null, ...SILENCE_CASES].map((before) => {
    return { before, confirms: true, beforeConfirmed: true }
  }),
]

/** Finds a silence. Null: there was none at all. */
export function silenceOf(
  before: SilenceCase | null,
  confirms: boolean,
  beforeConfirmed: boolean,
): Silence | null {
  if (before === null && !beforeConfirmed) return null
  const found = SILENCES.find(
    (silence) =>
      silence?.before === before &&
      silence.confirms === confirms &&
      silence.beforeConfirmed === beforeConfirmed,
  )
  return found!
}
