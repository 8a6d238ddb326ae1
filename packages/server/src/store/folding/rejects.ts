import type { Reject } from '../store.ts'

/** Rejects kept for each object. */
const KEPT = 10

/** The last rejects of an object, newest first, with `reject` added. */
export function withReject(existing: readonly Reject[], reject: Reject): Reject[] {
  return [reject, ...existing].slice(0, KEPT)
}
