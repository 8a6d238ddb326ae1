/** A closed range of `time_device`, milliseconds since the epoch. */
export type TimeRange = { from: number; to: number }
