/** A closed range of `time_device`, milliseconds since the epoch. */
export type TimeRange = { from: number; to: number }

/** Later than every position: a record has 48 bits for a time. */
export const LAST_TIME = 2 ** 48 - 1
