/**
 * A computation that asks for what is stored as it goes. Each promise that it yields is awaited for
 * it, and what that resolves to is what its `yield` gives. A store that has everything at hand yields
 * nothing, and its work is done in one go.
 */
export type Work<T> = Generator<Promise<unknown>, T, unknown>

/** The work of a store that never lets anybody wait. */
export function atOnce<T>(work: Work<T>): T {
  const { done, value } = work.next()
  if (!done) throw new TypeError('work that is done at once has to wait for something')
  return value
}

/** Does the work, awaiting what it waits for; what that rejects with is thrown into the work. */
export async function inTurn<T>(work: Work<T>): Promise<T> {
  let step = work.next()
  while (!step.done) {
    let told: unknown
    try {
      told = await step.value
    } catch (error) {
      step = work.throw(error)
      continue
    }
    step = work.next(told)
  }
  return step.value
}

export function* waitFor<T>(promise: Promise<T>): Work<T> {
  return (yield promise) as T
}

/** For what is at hand already. */
// biome-ignore lint/correctness/useYield: there is nothing to wait for
export function* atHand<T>(value: T): Work<T> {
  return value
}
