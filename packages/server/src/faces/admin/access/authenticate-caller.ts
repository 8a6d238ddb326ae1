import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { personActor } from '../../../acts/audit/entry.ts'
import { Refused } from '../../../acts/refused.ts'
import { networkOf } from '../../../base/access/attempts.ts'
import { type Denial, denialMembers, denialOf } from '../../../base/access/authenticate-key.ts'
import {
  DEVICE,
  hashSecret,
  looksLike,
  OPERATOR_TOKEN,
  SESSION,
  type SecretKind,
} from '../../../base/access/secret.ts'
import {
  type AccessCredential,
  type FoundCredential,
  isInForce,
  roleOf,
} from '../../../base/domain/account.ts'
import { MINUTE_MS } from '../../../base/domain/time/time.ts'
import { thinning } from '../../../base/http/listener-log.ts'
import type { Store } from '../../../engine/store/store.ts'
import type { AdminApi, Caller } from '../admin-api.ts'
import { cookiesOf, DEVICE_COOKIE, SESSION_COOKIE } from './cookies.ts'

const BEARER = /^bearer +(\S+)$/i

type About = Pick<AdminApi, 'about'>

/** The secret by which a browser that signed in before is known. */
export function deviceOf({ about }: About, message: IncomingMessage): string | null {
  const devices = cookiesOf(about, message, DEVICE_COOKIE)
  return devices.find((value) => looksLike(DEVICE, value)) ?? null
}

/** The token of a request, or else its session's secret, and the kind that it must have. */
export function presentedSecret(
  { about }: About,
  message: IncomingMessage,
): { secret: string; kind: SecretKind } | undefined {
  const bearer = BEARER.exec(message.headers.authorization ?? '')?.[1]
  if (bearer !== undefined) return { secret: bearer, kind: OPERATOR_TOKEN }
  const sessions = cookiesOf(about, message, SESSION_COOKIE)
  const secret = sessions.find((value) => looksLike(SESSION, value))
  return secret === undefined ? undefined : { secret, kind: SESSION }
}

/**
 * The caller with a valid session or token. Null if there is none. The account and its roles are read each time, so that
 * a change holds from the next request, on every process.
 */
export async function callerOf(
  { store, clock, about }: AdminApi,
  message: IncomingMessage,
): Promise<Caller | null> {
  const { secret, kind } = presentedSecret({ about }, message) ?? {}
  if (secret === undefined || !looksLike(kind!, secret)) return null
  const found = await store.access.find(hashSecret(secret))
  const now = clock.now()
  if (found === null || !isInForce(found, now)) return null
  const { credential, account } = found
  if (credential.kind !== (kind === SESSION ? 'session' : 'token')) return null
  const minute = now - (now % MINUTE_MS)
  if ((credential.lastUsedAt ?? 0) < minute) await store.access.touch(credential.id, minute)
  return {
    credential,
    account,
    roles: account?.roles ?? [roleOf(credential)],
    isHalfway: await lacksSecondFactor(store, found),
    actor: account === null ? tokenActor(credential) : personActor(account),
  }
}

/** Whether codes are required of the person of a session who signed in with a password alone. */
async function lacksSecondFactor(
  { access }: Store,
  { credential, account }: FoundCredential,
): Promise<boolean> {
  if (account === null || account.hasTotp || credential.isSignOn) return false
  return (await access.settings()).requiresTotp
}

/** Several tokens may have one name, because programs name the tokens that they issue. */
function tokenActor({ id, name }: AccessCredential): string {
  return `token ${id} ${name}`
}

/**
 * Refuses requests that another site made the browser send: a change must come from a page of this origin. A token is
 * enough, because browsers never add one.
 */
export function refuseForeign(message: IncomingMessage, consoleUrl: string | null): void {
  if (message.method === 'GET' || message.method === 'HEAD') return
  const { origin = '', host = '', authorization = '' } = message.headers
  if (BEARER.test(authorization)) return
  const site = message.headers['sec-fetch-site'] ?? 'same-origin'
  if (site === 'same-origin' && URL.canParse(origin)) {
    if (isConsole(new URL(origin), consoleUrl)) return
    if (new URL(origin).host === host) return
  }
  throw new Refused(
    403,
    'foreign_origin',
    "changes must come from the console itself (see 'serve --console-url') or have a token",
  )
}

function isConsole({ origin }: URL, consoleUrl: string | null): boolean {
  return consoleUrl !== null && origin === new URL(consoleUrl).origin
}

const HOST = /^(?:\[([0-9a-f:.]+)\]|([^\s:/?#@[\]]+))(?::\d+)?$/i

/**
 * Whether a request's `Host` is this machine's: an IP address, localhost, or one of `names`, in lower
 * case. After a page was loaded, DNS can point any other name to this machine (DNS rebinding), and the
 * browser would let that page read the answers. A request without `Host` is a probe, because browsers
 * always send one.
 */
export function isOwnHost(host: string | undefined, names: readonly string[]): boolean {
  if (host === undefined || host === '') return true
  const [, ipv6, name = ''] = HOST.exec(host.toLowerCase()) ?? []
  if (ipv6 !== undefined) return isIP(ipv6) === 6
  return isIP(name) === 4 || /^(?:.+\.)?localhost$/.test(name) || names.includes(name)
}

type DeniedParts = Pick<AdminApi, 'store' | 'clock' | 'addressOf' | 'about'> & {
  /** Writes a line of the log. `members` are members of a JSON object, as text. */
  line(members: string): void
}

/** Logs requests without a valid session or token, and why. Lines of one network are thinned like wrong passwords. */
export function openDenied({
  store,
  clock,
  line,
  addressOf,
  about,
}: DeniedParts): AdminApi['denied'] {
  const isThinnedOut = thinning(clock)

  async function denial(presented: ReturnType<typeof presentedSecret>): Promise<Denial> {
    if (presented === undefined) return { reason: 'missing' }
    const found = await store.access.find(hashSecret(presented.secret))
    // Nothing is kept of a token that was revoked.
    const known = found && { expiresAt: found.credential.expiresAt, revokedAt: null }
    return denialOf(presented.secret, [presented.kind], known ?? undefined, clock.now())
  }

  return async (message, operation, requestId) => {
    const address = addressOf(message)
    if (isThinnedOut(networkOf(address))) return
    const why = denialMembers(await denial(presentedSecret({ about }, message)))
    line(
      `"operation":"${operation}","status":401,${why},"address":${JSON.stringify(address)},` +
        `"request_id":"${requestId}","msg":"operator's request"`,
    )
  }
}
