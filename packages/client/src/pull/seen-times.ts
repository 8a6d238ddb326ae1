/**
 * Tells which positions a file has already. An object has one position at a time, so times identify them.
 * Ask in ascending order, as a history comes.
 */
export type SeenTimes = {
  /** Whether the position of this time (milliseconds) is new to the file. Afterwards it is known. */
  isNew(time: number): boolean
  /** All times later than `after`, beginning with the next one. Earlier ones are forgotten. */
  save(after: number): string
}

export function seenTimes(saved: string): SeenTimes {
  const known = decoded(saved)
  let at = 0
  let passed: number[] = []
  return {
    isNew(time) {
      while (at < known.length && known[at]! < time) passed.push(known[at++]!)
      if (known[at] === time) return false
      passed.push(time)
      return true
    },
    save(after) {
      passed = passed.filter((time) => time > after)
      return encoded([...passed, ...known.slice(at).filter((time) => time > after)])
    },
  }
}

/** The first time, then the differences: trackers report every few seconds. */
function encoded(times: number[]): string {
  return times.map((time, i) => time - (times[i - 1] ?? 0)).join(',')
}

function decoded(saved: string): number[] {
  let time = 0
  return saved === '' ? [] : saved.split(',').map((step) => (time += Number(step)))
}
