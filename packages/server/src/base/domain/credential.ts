import type { KeyScope } from './key-scope.ts'
import { described, type Fault, optional, type Rules, text } from './setting-rule.ts'

/** For whom an API key is, and why. */
export type Disclosee = {
  readonly recipient: string | null
  readonly purpose: string | null
}

/** A disclosee as it is kept. It never changes: a key whose recipient or purpose changes gets another one. */
export type KeptDisclosee = Disclosee & { readonly id: number }

/**
 * The stored part of a secret that gives access to an organization: an API key, a feed token or a link. The
 * secret itself is shown once, when it is issued, and never stored.
 */
export type Credential = {
  id: number
  organization: number
  name: string
  /** SHA-256 of the secret, base64url. */
  hash: string
  /** The first characters of the secret, by which its owner recognizes it: `fg_live_` or `fg_test_`, and four more. */
  prefix: string
  lastFour: string
  /** Milliseconds since the epoch. */
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  /** To the minute. */
  lastUsedAt: number | null
  /** The data and operations that an API key or a link has access to. Null: full access. A feed token has none. */
  scope: KeyScope | null
  /**
   * Where a grant of a link says no begin, the way of its objects begins then: when the link was created, and not when it
   * was rotated. Null: it shows no way, or is not a link.
   */
  waySince: number | null
  /** A test key has one, and opens the simulated fleet. Null: the credential opens the organization. */
  scenario: TestScenario | null
  /** The app that sends with a feed token, which decides its units. Null: the units are those of the formats. */
  client: FeedClient | null
  /** For whom an API key is, and why. A feed token has neither. */
  recipient: string | null
  purpose: string | null
  /** Id of the disclosee with that recipient and purpose, under which disclosures are counted. 0: the key has neither. */
  disclosee: number
  /** The requests with a feed token or a link by UTC day, of the last 30 days. Those of an API key are counted by operation elsewhere. */
  requests: RequestsByDay
}

export type RequestsByDay = Readonly<Record<number, number>>

/** The days of which credentials show their requests, today among them. */
export const REQUEST_DAYS = 30

/** The requests of a day, and of the last days up to it. */
export function requestsOn({ requests }: Pick<Credential, 'requests'>, today: number) {
  const shown = Object.entries(requests).filter(([day]) => Number(day) > today - REQUEST_DAYS)
  return { today: requests[today] ?? 0, lately: shown.reduce((sum, [, count]) => sum + count, 0) }
}

/** The sum of two counts, without the days that are no longer shown on their last one. */
export function requestsSum(one: RequestsByDay, other: RequestsByDay): Record<number, number> {
  const sum: Record<number, number> = { ...one }
  for (const [day, requests] of Object.entries(other)) {
    sum[Number(day)] = (sum[Number(day)] ?? 0) + requests
  }
  // An object has the numbers among its keys in ascending order.
  const last = Number(Object.keys(sum).at(-1))
  return Object.fromEntries(
    Object.entries(sum).filter(([day]) => Number(day) > last - REQUEST_DAYS),
  )
}

type CredentialState = 'active' | 'revoked' | 'expired'

export function stateOf(
  { revokedAt, expiresAt }: Pick<Credential, 'revokedAt' | 'expiresAt'>,
  now: number,
): CredentialState {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active'
}

/** The expiry of a replacement that lives as long as the original was meant to. */
export function sameLifetime({ createdAt, expiresAt }: Credential, now: number): number | null {
  return expiresAt === null ? null : now + expiresAt - createdAt
}

/** How the simulated fleet of a test key answers. `standard`: as a server does on a good day. */
export const TEST_SCENARIOS = [
  'standard',
  'suspended',
  'expired',
  'exhausted',
  'limited',
  'unavailable',
  'cut',
  'slow',
  'stale',
] as const
export type TestScenario = (typeof TEST_SCENARIOS)[number]

/** Apps whose units differ from those of the formats that they send in, or may be named to say that they do not. */
export const FEED_CLIENTS = ['traccar-client', 'osmand-app', 'gpslogger', 'owntracks'] as const
export type FeedClient = (typeof FEED_CLIENTS)[number]

/** Completes the sentences "whether …" and "if …" about the setting of an organization. */
export const KEYS_NEED =
  'each API key with access to data, and each webhook, requires a recipient and a purpose'

const NEEDED = 'Needed if `keys_need_purpose` of the organization is on. Null: not known.'

export const DISCLOSEE_RULES: Rules<Disclosee> = {
  recipient: described(optional(text(200)), {
    description: `For whom it is: who gets the data. ${NEEDED}`,
    help: 'who gets the data',
  }),
  purpose: described(optional(text(200)), {
    description: `The purpose for which the data are given. ${NEEDED}`,
    help: 'the purpose for which the data are given',
  }),
}

type Given = Disclosee & Pick<Credential, 'scenario'>

/**
 * The recipient or the purpose that a key lacks and its organization requires. A test key shows no data, and needs
 * neither.
 */
export function discloseeFault(
  { keysNeedPurpose }: { readonly keysNeedPurpose: boolean },
  { recipient, purpose, scenario }: Given,
): Fault | undefined {
  if (!keysNeedPurpose || scenario !== null) return undefined
  const field = recipient === null ? 'recipient' : purpose === null ? 'purpose' : undefined
  return field && { field, rule: `is missing: in this organization ${KEYS_NEED}` }
}

/** How often an organization's key received one status from one operation on a UTC day. */
export type UsageCount = {
  organization: number
  /** `base/domain/time/time.ts`, `utcDay`. */
  day: number
  key: number
  operation: string
  status: number
  requests: number
}

/**
 * The lines of a Traccar server's `traccar.xml` with which it sends its positions. With its defaults Traccar repeats nothing,
 * and with `forward.retry.enable` alone it keeps 100 positions to be repeated. `origin`: of the feed.
 */
export function traccarForward(origin: string, token: string): string[] {
  return [
    `<entry key='forward.type'>json</entry>`,
    `<entry key='forward.url'>${origin}/feed/v1/traccar</entry>`,
    `<entry key='forward.header'>x-feed-token: ${token}</entry>`,
    `<entry key='forward.retry.enable'>true</entry>`,
    `<entry key='forward.retry.count'>10</entry>`,
    `<entry key='forward.retry.limit'>10000</entry>`,
  ]
}
