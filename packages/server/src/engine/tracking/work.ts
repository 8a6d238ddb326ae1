/*
 * The type of a computation that reads from the store, and the errors of reads that meet damaged positions.
 */

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
export async function runAwaiting<T>(work: Work<T>, begun = work.next()): Promise<T> {
  let step = begun
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

/** Runs several computations concurrently: they wait at the same time. */
export function* together<T>(works: readonly Work<T>[]): Work<T[]> {
  const begun = works.map((work) => [work, work.next()] as const)
  if (begun.every(([, { done }]) => done)) return begun.map(([, { value }]) => value as T)
  return yield* waitFor(Promise.all(begun.map(([work, step]) => runAwaiting(work, step))))
}

/** Work whose value is already known. */
// biome-ignore lint/correctness/useYield: there is nothing to wait for
export function* atHand<T>(value: T): Work<T> {
  return value
}

/** Positions that are stored together: their object, and the times of the first and the last. */
export type PositionRange = { organization: number; object: number; first: number; last: number }

/** Thrown by a read of stored positions that this program cannot read. `why`: what is wrong, and what to do. */
export class UnreadablePositions extends Error {
  readonly range: PositionRange

  constructor({ organization, object, first, last }: PositionRange, why: string) {
    const [from, to] = [first, last].map((time) => new Date(time).toISOString())
    super(
      `the positions of object ${object} of organization ${organization} from ${from} to ${to} ${why}`,
    )
    this.range = { organization, object, first, last }
  }
}

/** The positions are not as they were written. */
export class DamagedPositions extends UnreadablePositions {
  constructor(range: PositionRange) {
    super(range, 'are damaged; restore them from a backup')
  }
}

/** The positions are in a format that is newer than this program. */
export class NewerPositions extends UnreadablePositions {
  constructor(range: PositionRange) {
    super(range, 'were packed by a newer version of Fleetgate: run that version')
  }
}

export const DAMAGED = Symbol('damaged positions')

/** Reads that may meet damaged positions. Positions of a newer version are treated the same way. */
export function* unlessDamaged<T>(read: () => Work<T>): Work<T | typeof DAMAGED> {
  try {
    return yield* read()
  } catch (error) {
    if (error instanceof UnreadablePositions) return DAMAGED
    throw error
  }
}
