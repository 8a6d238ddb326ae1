import type { Fix } from '../domain/position/fix.ts'
import type { RejectReason } from '../domain/position/fold-state.ts'
import { utcDay } from '../domain/time/time.ts'

export type NewFix = {
  object: number
  fix: Fix
  /** Why it is no position, if that depends on more than its object and its values. */
  refused?: RejectReason | undefined
  /** The sender's names of values that count as unknown, because they could not be read. */
  unread?: readonly string[] | undefined
}

export type AppendOutcome =
  | 'accepted'
  | 'duplicate'
  /** Another fix of that moment is stored, or was until now. The better one stays. */
  | 'conflict'
  /** The organization has no object with that id. */
  | 'unknown_object'
  | { rejected: RejectReason }

/** A packet that was not accepted, or that lost some of its values. Times in milliseconds since the epoch. */
export type Reject = {
  reason: RejectReason
  timeServer: number
  fix: Fix
  /** Its position is stored, or a better one of that moment: it is no reject of a day. */
  isStored?: true
  /** The sender's names of the values that could not be read. */
  unread?: readonly string[]
}

/** The day for which a reject counts: that of its arrival if the clock of its device is wrong. */
export function dayOfReject({ fix, timeServer, reason }: Reject): number {
  const isOfArrival = reason === 'implausible_past' || fix.timeDevice > timeServer
  return utcDay(isOfArrival ? timeServer : fix.timeDevice)
}

/** Each object keeps this many packets that were not accepted, and as many of which something was lost. */
const MAX_REJECTS = 10

/** The last rejects of an object, newest first, with `reject` added. */
export function withReject(existing: readonly Reject[], reject: Reject): Reject[] {
  let alike = 0
  // The note of a fix would be mostly attributes, which nobody looks for there.
  const noted = { ...reject, fix: { ...reject.fix, attributes: null } }
  return [noted, ...existing].filter(({ isStored }) => {
    if (isStored === reject.isStored) alike += 1
    return isStored !== reject.isStored || alike <= MAX_REJECTS
  })
}
