import { passes } from './error.ts'

/** How often a query asks again whose error may pass, so that the error goes when its cause is gone. */
const FAILED_MS = 5_000

/** The interval of a query in milliseconds: a shorter one while it fails. */
export function every(intervalMs: number | false) {
  return ({ state }: { state: { error: Error | null } }): number | false =>
    passes(state.error) ? FAILED_MS : intervalMs
}
