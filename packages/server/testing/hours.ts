import type { Wait } from '../src/engine/repeat.ts'
import type { handedClock } from './handed-clock.ts'

const HOUR_MS = 3_600_000

/** A wait that lets this many hours pass, and then waits until it is aborted. Shorter waits pass at once. */
export function hours(most: number, clock: ReturnType<typeof handedClock>) {
  let left = most
  const done = Promise.withResolvers<void>()
  const wait: Wait = async (ms, signal) => {
    clock.advanceUs(ms * 1000)
    if (ms < HOUR_MS || left-- > 0) return
    done.resolve()
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  }
  return { wait, passed: done.promise }
}
