import { maxOf } from '../domain/any-number.ts'
import type { AttemptCount } from '../domain/operator.ts'
import { placesOf } from './network.ts'
import { hashSecret } from './secret.ts'

/**
 * How fast the password may be guessed. Attempts are counted before they are checked, in rows that the
 * store keeps. Two kinds of clients are counted apart:
 *
 * - One that has signed in before, with this browser, from this address or at least this network, waits for a
 *   few seconds at most. Each browser has a count of its own, which no other client can use up.
 * - A stranger's wait is the longer of two: that of its network, and that of all strangers together.
 *
 * The bounds are documented in docs/operating.md, "Attempts at the password".
 */

/** The first failures cost nothing. Then the pause doubles, from one second to the longest. */
type Pace = { free: number; longestMs: number }
const KNOWN: Pace = { free: 5, longestMs: 5_000 }
const NETWORK: Pace = { free: 5, longestMs: 15 * 60_000 }
const STRANGERS: Pace = { free: 10, longestMs: 30_000 }
const FIRST_PAUSE_MS = 1_000

const DAY_MS = 24 * 3_600_000
/** Failures are forgotten after so long without an attempt. */
export const FORGET_FAILURES_MS = DAY_MS
/** An origin is known for so long after a sign-in. */
export const FORGET_SIGN_IN_MS = 90 * DAY_MS

const ALL_STRANGERS = 'strangers'

/** A client that tries a password. */
export type AttemptClient = {
  address: string
  /** The secret of a browser, which may have signed in before. */
  device: string | null
}

/** The origins whose counts decide about an attempt of this client, the narrowest first. */
export function originsOf(client: AttemptClient): string[] {
  return [...ownOriginsOf(client), ALL_STRANGERS]
}

function ownOriginsOf({ address, device }: AttemptClient): string[] {
  const places = placesOf(address)
  return device === null ? places : [originOfDevice(device), ...places]
}

/** Nobody can guess a device, so one that has a count has signed in before. */
function originOfDevice(device: string): string {
  return `device ${hashSecret(device)}`
}

/** Whether the client's device has signed in before. */
export function isDeviceKnown(
  { device }: AttemptClient,
  kept: readonly AttemptCount[],
  now: number,
): boolean {
  return device !== null && countOf(originOfDevice(device), kept, now).signedInAt !== null
}

/** Whether an attempt may begin now: how long it must wait, or the counts with this attempt in them. */
export type Decision = { waitMs: number; counts: AttemptCount[] }

export function decide(
  client: AttemptClient,
  kept: readonly AttemptCount[],
  now: number,
): Decision {
  const paced = pacedBy(client, kept, now)
  const waitMs = maxOf(paced.map(({ count, pace }) => waitOf(count, pace, now)))
  if (waitMs > 0) return { waitMs, counts: [] }
  const counts = paced.map(({ count }) => ({ ...count, failures: count.failures + 1, at: now }))
  return { waitMs: 0, counts }
}

/** The counts after a success of this client, whose attempt is among them. */
export function afterSuccess(
  client: AttemptClient,
  kept: readonly AttemptCount[],
  now: number,
): AttemptCount[] {
  const known = ownOriginsOf(client).map((origin) => ({
    origin,
    failures: 0,
    at: now,
    signedInAt: now,
  }))
  const wasStranger = pacedBy(client, kept, now).length > 1
  if (!wasStranger) return known
  const strangers = countOf(ALL_STRANGERS, kept, now)
  return [...known, { ...strangers, failures: Math.max(0, strangers.failures - 1) }]
}

type Paced = { count: AttemptCount; pace: Pace }

function pacedBy(client: AttemptClient, kept: readonly AttemptCount[], now: number): Paced[] {
  const places = ownOriginsOf(client).map((origin) => countOf(origin, kept, now))
  const known = places.find(({ signedInAt }) => signedInAt !== null)
  if (known !== undefined) return [{ count: known, pace: KNOWN }]
  return [
    { count: places.at(-1)!, pace: NETWORK },
    { count: countOf(ALL_STRANGERS, kept, now), pace: STRANGERS },
  ]
}

/** The count of an origin, without what is forgotten by now. */
function countOf(origin: string, kept: readonly AttemptCount[], now: number): AttemptCount {
  const found = kept.find((each) => each.origin === origin)
  if (found === undefined) return { origin, failures: 0, at: now, signedInAt: null }
  const { failures, at, signedInAt } = found
  return {
    origin,
    at,
    failures: at <= now - FORGET_FAILURES_MS ? 0 : failures,
    signedInAt: signedInAt !== null && signedInAt <= now - FORGET_SIGN_IN_MS ? null : signedInAt,
  }
}

function waitOf({ failures, at }: AttemptCount, { free, longestMs }: Pace, now: number): number {
  if (failures < free) return 0
  const pauseMs = Math.min(longestMs, FIRST_PAUSE_MS * 2 ** (failures - free))
  // A clock that was set back makes nobody wait for longer than the pause.
  return Math.min(pauseMs, Math.max(0, at + pauseMs - now))
}
