/**
 * Runs work with the same number one after the other, so that what it read still holds when it writes.
 */
export type OneAfterAnother = <Result>(
  number: number,
  work: () => Promise<Result>,
) => Promise<Result>

export function oneAfterAnother(): OneAfterAnother {
  const last = new Map<number, Promise<unknown>>()

  return async (number, work) => {
    const mine = (last.get(number) ?? Promise.resolve()).then(work)
    const settled = mine.catch(() => {})
    last.set(number, settled)
    try {
      return await mine
    } finally {
      if (last.get(number) === settled) last.delete(number)
    }
  }
}
