import { isIPv4, isIPv6, SocketAddress } from 'node:net'
import type { AttemptCount } from '../domain/account.ts'
import { maxOf } from '../domain/common/any-number.ts'
import { DAY_MS } from '../domain/time/time.ts'
import { hashSecret } from './secret.ts'

/**
 * How fast passwords may be guessed. Attempts are counted before they are checked, in rows that the
 * store keeps. Two kinds of clients are counted apart:
 *
 * - One that has signed in before to the same account, with this browser, from this address or at least this network,
 *   waits for a few seconds at most. Each browser has a count of its own, which no other client can use up.
 * - A stranger to the account waits as long as the longest of three: for its network, for the account, and for all
 *   strangers together. Whoever has signed in to another account is a stranger too.
 *
 * The bounds are documented in docs/people.md, "Attempts at a password".
 */

/** The first failures cost nothing. Then the pause doubles, from one second to the longest. */
type Pace = { free: number; longestMs: number }
const KNOWN: Pace = { free: 5, longestMs: 5_000 }
const NETWORK: Pace = { free: 5, longestMs: 15 * 60_000 }
const ACCOUNT: Pace = { free: 10, longestMs: 60_000 }
const STRANGERS: Pace = { free: 10, longestMs: 30_000 }
/** Codes after the right password. Nobody else can use them up, and only six digits have to be guessed. */
const CODES: Pace = { free: 5, longestMs: 15 * 60_000 }
/** Sign-ons of a network that the provider does not confirm. Nobody can guess one, but each of them asks the provider. */
const SIGN_ONS: Pace = { free: 20, longestMs: 60_000 }
const FIRST_PAUSE_MS = 1_000

/** Failures are forgotten after this time without an attempt. */
export const FORGET_FAILURES_MS = DAY_MS
/** An origin is known for this time after a sign-in. */
export const FORGET_SIGN_IN_MS = 90 * DAY_MS

const ALL_STRANGERS = 'strangers'

/** A client that tries a password. */
export type AttemptClient = {
  address: string
  /** The secret of a browser, which may have signed in before. */
  device: string | null
  /** The address of the account, folded, whether there is such an account or not. */
  email: string
}

/** The origins whose counts decide about an attempt of this client, the narrowest first. */
export function originsOf(client: AttemptClient): string[] {
  return [...ownOriginsOf(client), ...strangeOriginsOf(client).map(([origin]) => origin)]
}

/** The places of a client that has signed in to this account before. */
function ownOriginsOf({ address, device, email }: AttemptClient): string[] {
  const places =
    device === null ? placesOf(address) : [`device ${hashSecret(device)}`, ...placesOf(address)]
  return places.map((place) => `${place} as ${hashSecret(email)}`)
}

function strangeOriginsOf({ address, email }: AttemptClient): [origin: string, pace: Pace][] {
  return [
    [networkOf(address), NETWORK],
    [`account ${hashSecret(email)}`, ACCOUNT],
    [ALL_STRANGERS, STRANGERS],
  ]
}

/** An origin whose count alone decides. */
export type PacedOrigin = { readonly origin: string; readonly pace: Pace }

/** The codes of an account. */
export function codesOf(account: number): PacedOrigin {
  return { origin: `codes of account ${account}`, pace: CODES }
}

/** The sign-ons of a network. */
export function signOnsFrom(address: string): PacedOrigin {
  return { origin: `sign-ons of ${networkOf(address)}`, pace: SIGN_ONS }
}

/** Whether the client's device has signed in to this account before. Nobody can guess a device. */
export function isDeviceKnown(
  client: AttemptClient,
  kept: readonly AttemptCount[],
  now: number,
): boolean {
  return client.device !== null && countOf(ownOriginsOf(client)[0]!, kept, now).signedInAt !== null
}

/** Whether an attempt may begin now: how long it must wait, or the counts with this attempt in them. */
export type Decision = { waitMs: number; counts: AttemptCount[] }

export function decide(
  client: AttemptClient,
  kept: readonly AttemptCount[],
  now: number,
): Decision {
  return decided(pacedBy(client, kept, now), now)
}

/** As `decide`, for an origin whose count alone decides. */
export function decideAt(
  { origin, pace }: PacedOrigin,
  kept: readonly AttemptCount[],
  now: number,
): Decision {
  return decided([{ count: countOf(origin, kept, now), pace }], now)
}

function decided(paced: readonly Paced[], now: number): Decision {
  const waitMs = maxOf(paced.map(({ count, pace }) => waitOf(count, pace, now)))
  if (waitMs > 0) return { waitMs, counts: [] }
  const counts = paced.map(({ count }) => ({ ...count, failures: count.failures + 1, at: now }))
  return { waitMs: 0, counts }
}

/** The counts after a success of this client, whose attempt is among them. `known`: as it will be known. */
export function afterSuccess(
  client: AttemptClient,
  known: AttemptClient,
  kept: readonly AttemptCount[],
  now: number,
): AttemptCount[] {
  const own = ownOriginsOf(known).map((origin) => ({
    origin,
    failures: 0,
    at: now,
    signedInAt: now,
  }))
  // A known client is paced by one of these counts alone.
  return pacedBy(client, kept, now).length > 1 ? [...own, ...takenBack(client, kept, now)] : own
}

/**
 * The counts without the attempt of this client, whose password was right. The other failures stay, so that a person
 * cannot pay with sign-ins of an own account for attempts at another one.
 */
export function takenBack(
  client: AttemptClient,
  kept: readonly AttemptCount[],
  now: number,
): AttemptCount[] {
  return pacedBy(client, kept, now).map(({ count }) => ({
    ...count,
    failures: Math.max(0, count.failures - 1),
  }))
}

type Paced = { count: AttemptCount; pace: Pace }

function pacedBy(client: AttemptClient, kept: readonly AttemptCount[], now: number): Paced[] {
  const places = ownOriginsOf(client).map((origin) => countOf(origin, kept, now))
  const known = places.find(({ signedInAt }) => signedInAt !== null)
  if (known !== undefined) return [{ count: known, pace: KNOWN }]
  return strangeOriginsOf(client).map(([origin, pace]) => ({
    count: countOf(origin, kept, now),
    pace,
  }))
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

/** A proxy may send text that is not an address as the client's address. */
const NO_NETWORK = 'unknown'

/**
 * The network of an address: the /24 of IPv4, the /64 of IPv6. A client of IPv6 commonly has a whole /64
 * (RFC 6177), and a customer of IPv4 several neighboring addresses.
 */
export function networkOf(address: string): string {
  return placesOf(address).at(-1)!
}

/**
 * The places of a client, the narrowest first: its address, then its network. An IPv6 client changes its
 * address often, so only its network counts.
 */
export function placesOf(address: string): string[] {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (isIPv4(plain)) return [plain, `${plain.split('.').slice(0, 3).join('.')}.0/24`]
  return [isIPv6(plain) ? network64(plain) : NO_NETWORK]
}

function network64(address: string): string {
  // Gives an IPv6 address one form: lower case, without leading zeros.
  const written = new SocketAddress({ address, family: 'ipv6' }).address
  const [head, tail] = written.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array(8 - head!.length - (tail?.length ?? 0)).fill('0')
  const first = [...head!, ...zeros, ...(tail ?? [])].slice(0, 4)
  return `${new SocketAddress({ address: `${first.join(':')}::`, family: 'ipv6' }).address}/64`
}
