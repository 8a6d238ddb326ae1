/**
 * The kinds of stored entries. Their numbers are in the folders of integrators. `put` is about the position at
 * `time`, `remove` and `shift` about a range, and `rename` about all positions of the object.
 */
export const KIND = { put: 0, remove: 1, shift: 2, rename: 3 } as const

export type Kind = (typeof KIND)[keyof typeof KIND]

/** An entry as the working set keeps it, once for each day on which it has an effect. */
export type Stored = {
  kind: Kind
  /** The object. */
  id: number
  /** `time_device`, or the beginning of a range. Times are in milliseconds. */
  time: number
  /** The end of a range, included. */
  until: number | null
  /** A position contains all shifts up to this number. A shift has this number. */
  asOf: number
  latitude: number | null
  longitude: number | null
  altitude: number | null
  angle: number | null
  speed: number | null
  timeServer: number | null
  /** The exact counters of a position, or the amounts of a shift. */
  odometerMm: number | null
  mileageMm: number | null
  engineHoursMs: number | null
  address: string | null
}

const NOTHING = {
  ...{ until: null, latitude: null, longitude: null, altitude: null, angle: null, speed: null },
  ...{ timeServer: null, odometerMm: null, mileageMm: null, engineHoursMs: null },
  address: null,
}

/** An entry that is no position. */
export function operation(
  kind: Exclude<Kind, typeof KIND.put>,
  id: number,
  more: Partial<Stored> = {},
): Stored {
  return { kind, id, time: 0, asOf: 0, ...NOTHING, ...more }
}
