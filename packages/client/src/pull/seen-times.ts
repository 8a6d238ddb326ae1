/**
 * Tells which positions a file has already. A position is known by its object and its `time_device`, so
 * times say it; they are asked for in ascending order, as a history comes.
 */
export type SeenTimes = {
  /** Whether the position of this time (milliseconds) is not in the file yet. Now it is. */
  isNew(time: number): boolean
  /** All that are later than `after`, to begin with the next time. Those before are forgotten. */
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

/** The first, and then what each is later than the one before it: trackers report every few seconds. */
function encoded(times: number[]): string {
  return times.map((time, i) => time - (times[i - 1] ?? 0)).join(',')
}

function decoded(saved: string): number[] {
  let time = 0
  return saved === '' ? [] : saved.split(',').map((step) => (time += Number(step)))
}
