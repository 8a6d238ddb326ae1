import { StoreUnavailable } from '../store.ts'

/** A limited number of places. A caller that finds none free waits in line. */
export type WaitingLine = {
  /**
   * Resolves when a place is free and taken. Rejects with `StoreUnavailable` at once if too many wait,
   * after `patienceMs`, or when the signal aborts.
   */
  take(patienceMs: number, signal?: AbortSignal): Promise<void>
  leave(): void
}

export function waitingLine(places: number, maxWaiting: number): WaitingLine {
  let free = places
  /** The waiting callers in order of arrival. */
  const waiting = new Set<() => void>()

  function wait(patienceMs: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = (why: string) => {
      // Decide now, not when the promise settles: a free place must not go to an aborted caller.
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
