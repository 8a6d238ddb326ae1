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
