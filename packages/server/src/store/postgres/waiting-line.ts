import { StoreUnavailable } from '../store.ts'

/** Places that are taken and left; whoever finds none free waits for one, in the order of coming. */
export type WaitingLine = {
  /**
   * Resolves when a place is taken. Rejects with `StoreUnavailable` at once where too many wait, after
   * `patienceMs`, or when the signal aborts.
   */
  take(patienceMs: number, signal?: AbortSignal): Promise<void>
  leave(): void
}

export function waitingLine(places: number, maxWaiting: number): WaitingLine {
  let free = places
  /** Those that wait, the first to come first. */
  const waiting = new Set<() => void>()

  function wait(patienceMs: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = (why: string) => {
      // Now, and not when the promise is settled: a place that is left must not go to this one.
      waiting.delete(resolve)
      reject(new StoreUnavailable(why))
    }
    const late = () => giveUp(`No connection to PostgreSQL was free for ${patienceMs} ms.`)
    const gone = () => giveUp('The client has gone before a connection to PostgreSQL was free.')
    const timer = setTimeout(late, patienceMs)
    signal?.addEventListener('abort', gone)
    waiting.add(resolve)
    if (signal?.aborted) gone()
    return promise.finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', gone)
    })
  }

  return {
    take(patienceMs, signal) {
      if (free > 0) {
        free -= 1
        return Promise.resolve()
      }
      if (waiting.size < maxWaiting) return wait(patienceMs, signal)
      const why = `All connections to PostgreSQL are in use and ${maxWaiting} requests wait for one.`
      return Promise.reject(new StoreUnavailable(why))
    },
    leave() {
      const [first] = waiting
      if (first === undefined) {
        free += 1
        return
      }
      waiting.delete(first)
      first()
    },
  }
}
