/** The shares of holders in something that is limited: of each holder, and of all together. */
export type Shares<Holder> = {
  of(holder: Holder): number
  readonly sum: number
  /** A holder whose share is 0 takes no memory. */
  add(holder: Holder, change: number): void
  /** The holders with a share. */
  readonly holders: number
}

export function countShares<Holder>(): Shares<Holder> {
  const byHolder = new Map<Holder, number>()
  let sum = 0

  return {
    of: (holder) => byHolder.get(holder) ?? 0,
    get sum() {
      return sum
    },
    add(holder, change) {
      sum += change
      const share = (byHolder.get(holder) ?? 0) + change
      if (share === 0) byHolder.delete(holder)
      else byHolder.set(holder, share)
    },
    get holders() {
      return byHolder.size
    },
  }
}
