import { setTimeout as pause } from 'node:timers/promises'
import { threadSeconds } from './processor.ts'
import { profileFolder } from './report.ts'

const LOOK_EVERY_MS = 500
/** Share of a processor. A server that uses less is at rest; profiling itself uses some. */
const RESTING = profileFolder === undefined ? 0.02 : 0.1

/** Waits until a server has loaded the data for its answers, which it does while it serves. */
export async function untilAtRest(pid: number): Promise<void> {
  for (let used = threadSeconds(pid); ; ) {
    await pause(LOOK_EVERY_MS)
    const now = threadSeconds(pid)
    if (now - used < (RESTING * LOOK_EVERY_MS) / 1000) return
    used = now
  }
}
