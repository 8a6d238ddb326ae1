/** Work that yields wherever others may have a turn, some ten times a millisecond. */
export type Steps<Result> = Generator<void, Result>

/** Does the work at once. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

// biome-ignore lint/correctness/useYield: there is one step
export function* inOneStep<Result>(work: () => Result): Steps<Result> {
  return work()
}

/** Numbers that one step merges. */
const STEP_NUMBERS = 5_000

/** The indices of the numbers, in ascending order of the numbers. */
export function* sortedIndices(numbers: Float64Array): Steps<Uint32Array> {
  const { length } = numbers
  let sorted = new Uint32Array(length)
  for (let index = 0; index < length; index += 1) sorted[index] = index
  let merged = new Uint32Array(length)
  for (let run = 1; run < length; run *= 2) {
    for (let from = 0; from < length; from += 2 * run) {
      const middle = Math.min(from + run, length)
      const end = Math.min(from + 2 * run, length)
      let [a, b] = [from, middle]
      for (let to = from; to < end; to += 1) {
        const isA = b === end || (a < middle && numbers[sorted[a]!]! <= numbers[sorted[b]!]!)
        merged[to] = isA ? sorted[a++]! : sorted[b++]!
        if (to % STEP_NUMBERS === 0) yield
      }
    }
    const before = sorted
    sorted = merged
    merged = before
  }
  return sorted
}
