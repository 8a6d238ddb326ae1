import type { Deployment } from '../../compose.ts'
import { say } from '../failure.ts'

/** Longer than the last writes take. Nothing is in flight any more. */
const CLOSE_MS = 5_000

/** Ends the process soon, even if a frozen database or Redis would keep it from ending. */
export function endInTime({ shared }: Deployment, code: number): void {
  // A data folder closes by itself, and may have much to write.
  if (shared === null) return
  setTimeout(() => {
    say('the database or Redis does not answer, and is not waited for')
    process.exit(code)
  }, CLOSE_MS).unref()
}
