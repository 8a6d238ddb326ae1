import { setTimeout as pause } from 'node:timers/promises'
import { threadSeconds } from './processor.ts'
import { profileFolder } from './report.ts'

const LOOK_EVERY_MS = 500
/** Of a processor, below which a server is taken for one that rests: being profiled takes some of it. */
const RESTING = profileFolder === undefined ? 0.02 : 0.1

/** Waits until a server has read ahead what requests are answered from, which it does while it serves. */
export async function untilAtRest(pid: number): Promise<void> {
  for (let used = threadSeconds(pid); ; ) {
    await pause(LOOK_EVERY_MS)
    const now = threadSeconds(pid)
    if (now - used < (RESTING * LOOK_EVERY_MS) / 1000) return
    used = now
  }
}
