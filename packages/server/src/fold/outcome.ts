import type { Fix } from '../domain/position/fix.ts'
import type { RejectReason } from '../domain/position/fold-state.ts'
import { utcDay } from '../domain/time/time.ts'

/** `refused`: why it is no position, if that depends on more than its object and its values. */
export type NewFix = { object: number; fix: Fix; refused?: RejectReason | undefined }

export type AppendOutcome =
  | 'accepted'
  | 'duplicate'
  /** Another fix of that moment is stored, or was until now. The better one stays. */
  | 'conflict'
  /** The organization has no object with that id. */
  | 'unknown_object'
  | { rejected: RejectReason }

/** A packet that was not accepted. Times in milliseconds since the epoch. */
export type Reject = { reason: RejectReason; timeServer: number; fix: Fix }

/** The day for which a reject counts: that of its arrival if the clock of its device is wrong. */
export function dayOfReject({ fix, timeServer, reason }: Reject): number {
  const isOfArrival = reason === 'implausible_past' || fix.timeDevice > timeServer
  return utcDay(isOfArrival ? timeServer : fix.timeDevice)
}

/** Each object keeps this many rejects. */
const MAX_REJECTS = 10

/** The last rejects of an object, newest first, with `reject` added. */
export function withReject(existing: readonly Reject[], reject: Reject): Reject[] {
  return [reject, ...existing].slice(0, MAX_REJECTS)
}
