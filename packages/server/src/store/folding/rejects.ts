import type { Reject } from '../store.ts'

/** How many are kept of each object. */
const KEPT = 10

/** The last packets of an object that were not accepted, the newest first, and one more. */
export function withReject(standing: readonly Reject[], reject: Reject): Reject[] {
  return [reject, ...standing].slice(0, KEPT)
}
