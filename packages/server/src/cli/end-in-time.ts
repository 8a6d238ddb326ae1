import type { Deployment } from '../compose.ts'
import { say } from './failure.ts'

/** Longer than it takes to write what is written behind; nothing is in flight any more. */
const CLOSE_MS = 5_000

/** Ends the process soon, where a database or Redis that stands still would keep it from ending. */
export function endInTime({ shared }: Deployment, code: number): void {
  // What closes a data folder ends by itself, and may have much to write.
  if (shared === null) return
  setTimeout(() => {
    say('the database or Redis does not answer, and is not waited for')
    process.exit(code)
  }, CLOSE_MS).unref()
}
