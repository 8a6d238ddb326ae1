/** A value of a device's own counter (odometer: mm, engine hours: ms), and when it was read: ms since the epoch. */
export type Reading = { readonly value: number; readonly at: number }

/**
 * All that the next reading of a device's own counter needs to know of those before it. It depends on the readings
 * in the order of device times alone.
 */
export type CounterReading = {
  /** As last believed. */
  readonly value: number
  /** When it last grew, or was first read. */
  readonly grewAt: number
  /** The newest reading, if it does not follow from the believed one. */
  readonly doubted: Reading | null
  /** The counter before its last accepted drop. */
  readonly before: CounterBefore | null
}

export type CounterBefore = {
  readonly value: number
  readonly grewAt: number
  readonly droppedAt: number
  /** The gains since the drop. */
  readonly counted: number
}
