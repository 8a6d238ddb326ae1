/**
 * Clocks change only at full quarters of an hour of UTC. One offset for each quarter is kept, because `Intl` takes
 * microseconds.
 */
const QUARTER_MS = 900_000
const MAX_KEPT = 10_000

/** The milliseconds by which the clocks of a time zone are ahead of UTC at a moment. Undefined: UTC. */
export function zoneOffset(timeZone: string | undefined): (time: number) => number {
  if (timeZone === undefined) return () => 0
  // Swedish dates are those of ISO 8601.
  const clock = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone, dateStyle: 'short', timeStyle: 'medium' },
  })
  const offsets = new Map<number, number>()
  return (time) => {
    const quarter = Math.floor(time / QUARTER_MS)
    let offset = offsets.get(quarter)
    if (offset === undefined) {
      const start = quarter * QUARTER_MS
      offset = Date.parse(`${clock.format(start).replace(' ', 'T')}Z`) - start
      if (offsets.size >= MAX_KEPT) offsets.clear()
      offsets.set(quarter, offset)
    }
    return offset
  }
}

/** Whether it is the name of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
