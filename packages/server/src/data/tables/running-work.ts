import { StoreUnavailable } from '../../engine/store/store.ts'

/** The work of a store that is under way, which the end of the store waits for. */
export function runningWork() {
  const running = new Set<Promise<unknown>>()
  let isClosed = false

  return {
    /** Rejects with `StoreUnavailable` after `close`. */
    begin<T>(work: () => Promise<T>): Promise<T> {
      if (isClosed) return Promise.reject(new StoreUnavailable('The store is closed.'))
      const begun = work()
      running.add(begun)
      const forget = () => running.delete(begun)
      begun.then(forget, forget)
      return begun
    },
    /** Waits for the work that has begun, then frees its resources, once. */
    async close(free: () => void | Promise<void>): Promise<void> {
      if (isClosed) return
      isClosed = true
      await Promise.allSettled(running)
      await free()
    },
  }
}
