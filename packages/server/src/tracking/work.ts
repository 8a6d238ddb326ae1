/**
 * A computation that reads from the store as it goes. It yields a promise for each read that must be
 * awaited, and receives the result. A store that has everything in memory yields nothing, so its work
 * runs synchronously.
 */
export type Work<T> = Generator<Promise<unknown>, T, unknown>

/** Runs work that never waits. Throws a `TypeError` if it does. */
export function runAtOnce<T>(work: Work<T>): T {
  const { done, value } = work.next()
  if (!done) throw new TypeError('work that is done at once has to wait for something')
  return value
}

/** Runs work and awaits each promise that it yields. A rejection is thrown into the work. */
export async function runAwaiting<T>(work: Work<T>): Promise<T> {
  let step = work.next()
  while (!step.done) {
    let result: unknown
    try {
      result = await step.value
    } catch (error) {
      step = work.throw(error)
      continue
    }
    step = work.next(result)
  }
  return step.value
}

export function* waitFor<T>(promise: Promise<T>): Work<T> {
  return (yield promise) as T
}

/** Work whose value is known already. */
// biome-ignore lint/correctness/useYield: there is nothing to wait for
export function* atHand<T>(value: T): Work<T> {
  return value
}
