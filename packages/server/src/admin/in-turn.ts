/** Does work of one number after the other, so that what it looked at still holds when it changes it. */
export type InTurn = <Result>(number: number, work: () => Promise<Result>) => Promise<Result>

export function inTurn(): InTurn {
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
