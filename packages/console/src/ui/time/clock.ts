import { useSyncExternalStore } from 'react'

/** One clock for all relative times. */
const TICK_MS = 10_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell)
  if (timer === undefined) {
    // The clock stops while nobody uses it, so catch up.
    now = Date.now()
    timer = setInterval(tick, TICK_MS)
  }
  return () => {
    listeners.delete(tell)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  now = Date.now()
  for (const tell of listeners) tell()
}
