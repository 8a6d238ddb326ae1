import type { Work } from './work.ts'

/** Positions that lie together: whose they are, and the times of the first and the last. */
export type PositionStretch = { organization: number; object: number; first: number; last: number }

/** Thrown by a read of stored positions that are not as they were written. */
export class DamagedPositions extends Error {
  readonly stretch: PositionStretch

  constructor({ organization, object, first, last }: PositionStretch) {
    const [from, to] = [first, last].map((time) => new Date(time).toISOString())
    super(
      `the positions of object ${object} of organization ${organization} from ${from} to ${to} are damaged; restore them from a backup`,
    )
    this.stretch = { organization, object, first, last }
  }
}

export const DAMAGED = Symbol('damaged positions')

/** Reads that may meet damaged positions. */
export function* unlessDamaged<T>(read: () => Work<T>): Work<T | typeof DAMAGED> {
  try {
    return yield* read()
  } catch (error) {
    if (error instanceof DamagedPositions) return DAMAGED
    throw error
  }
}
