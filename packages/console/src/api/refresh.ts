import { passes } from './error.ts'

/** How often a query with a temporary error asks again, so that the error disappears with its cause. */
const FAILED_MS = 5_000

/** The interval of a query in milliseconds: a shorter one while it fails. */
export function every(intervalMs: number | false) {
  return ({ state }: { state: { error: Error | null } }): number | false =>
    passes(state.error) ? FAILED_MS : intervalMs
}
