/** Files are written at most this often. */
const MIN_REST_MS = 60_000
/** Writing files may take one tenth of the time. */
const REST_SHARE = 9

/** Decides when a follower writes its files. */
export type SettlePace = {
  /** Resolves with `'due'` when it is time, or with the other promise if that is earlier. */
  dueOr<Other>(other: Promise<Other>): Promise<Other | 'due'>
  /** Runs the work, and rests afterwards. */
  timed(work: () => Promise<void>): Promise<void>
}

/** The first time is due at once. `now`: milliseconds. */
export function settlePace(now: () => number): SettlePace {
  let dueAt = now()
  return {
    async dueOr(other) {
      const waitMs = dueAt - now()
      if (waitMs <= 0) return 'due'
      let timer: NodeJS.Timeout | undefined
      const due = new Promise<'due'>((resolve) => {
        timer = setTimeout(() => resolve('due'), waitMs)
      })
      return Promise.race([other, due]).finally(() => clearTimeout(timer))
    },
    async timed(work) {
      const begunAt = now()
      await work()
      const tookMs = now() - begunAt
      dueAt = now() + Math.max(MIN_REST_MS, REST_SHARE * tookMs)
    },
  }
}
