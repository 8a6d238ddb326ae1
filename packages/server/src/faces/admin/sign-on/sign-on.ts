import { networkOf } from '../../../base/access/attempts.ts'
import { hashSecret } from '../../../base/access/secret.ts'
import { openTurns } from '../../../base/domain/common/slots.ts'
import type { Clock } from '../../../base/domain/time/time.ts'
import type { AccessStore } from '../../../engine/store/access-store.ts'
import type { Store } from '../../../engine/store/store.ts'
import type { SignIns } from '../access/sign-ins.ts'
import type { SignOnSettings } from '../access/sign-on-settings.ts'
import { type Person, personOf } from './claims.ts'
import { type Flow, type Link, newFlow, openFlow, sealFlow } from './flow.ts'
import { openProvider } from './provider.ts'
import { RefusedSignOn } from './refused-sign-on.ts'
import { hasEnded, noteEnded, useUp } from './remembered.ts'

/** Sign-ins that ask the provider at once. More of them would let strangers make this server flood it. */
const MAX_AT_ONCE = 32
/** A network leaves room for others. */
const MAX_OF_NETWORK = 4
/** The longest wait for a turn. */
const MAX_WAIT_MS = 5_000

/** Single sign-on of a process. */
export type SignOn = {
  readonly settings: SignOnSettings
  /**
   * Begins a sign-in: the page of the provider, and the value of the cookie that lets the browser finish it. `link`: the
   * account that is to be linked with the person who signs in, if it is given.
   */
  begin(callback: string, to: string, link?: Link | null): Promise<{ page: URL; flow: string }>
  /**
   * Finishes a sign-in, once. `answer`: the callback with the parameters that the browser brought. `cookies`: the values
   * of `begin` that it brought. `address`: the client's. Throws `RefusedSignOn`.
   */
  finish(answer: URL, cookies: readonly string[], address: string): Promise<Finished>
  /**
   * Ends the sessions that a logout token of the provider names, once. `access`: the store in the provider's name.
   * `address`: the client's. Throws `RefusedSignOn`.
   */
  endSessions(token: string, access: Pick<AccessStore, 'endSignOn'>, address: string): Promise<void>
  /**
   * Whether the provider has ended a sign-in while it was being finished: whoever opens a session looks afterwards, because
   * `endSessions` ends the sessions that it finds, after it has noted what it ends.
   */
  hasEnded(finished: Finished): Promise<boolean>
  /** The page of the provider that ends the sign-in there, and leads to `to`. Null: it has none, or is down. */
  signOutPage(idToken: string | null, to: string): Promise<URL | null>
}

/** `sid`: the provider's id of the sign-in, as it is stored. Null: it gives none. `since`: when this server began to ask who it is. */
export type Finished = {
  person: Person
  idToken: string
  sid: string | null
  since: number
} & Pick<Flow, 'to' | 'link'>

export type SignOnParts = {
  store: Store
  clock: Clock
  signIns: Pick<SignIns, 'beginSignOn' | 'succeededSignOn'>
}

export function openSignOn(
  settings: SignOnSettings,
  { store, clock, signIns }: SignOnParts,
): SignOn {
  const provider = openProvider(settings, clock)
  const inTurn = boundedTurns()

  async function flowIn(answer: URL, cookies: readonly string[]): Promise<Flow> {
    const state = answer.searchParams.get('state')
    const secret = await store.secret()
    const flows = cookies.map((each) => openFlow(secret, each, clock.now()))
    const flow = flows.find((each) => each !== null && each.state === state)
    if (flow === undefined || flow === null) {
      throw new RefusedSignOn(
        'expired',
        'this sign-in was not started in this browser, or has expired',
      )
    }
    return flow
  }

  /** Asks the provider who the person is. A network whose sign-ons fail waits longer and longer. */
  async function identify(flow: Flow, answer: URL, address: string) {
    const waitMs = await signIns.beginSignOn(address)
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000)
      throw new RefusedSignOn(
        'busy',
        `too many failed sign-ons from this network; try again in ${seconds} s`,
      )
    }
    const identified = await provider.identify(flow, answer)
    await signIns.succeededSignOn(address)
    return identified
  }

  return {
    settings,
    async begin(callback, to, link = null) {
      const flow = newFlow(to, link, clock.now())
      const page = await provider.signInUrl(flow, callback)
      return { page, flow: sealFlow(await store.secret(), flow) }
    },
    async finish(answer, cookies, address) {
      const since = clock.now()
      const flow = await flowIn(answer, cookies)
      const { claims, idToken } = await inTurn(address, () => identify(flow, answer, address))
      if (!(await useUp(store.attempts, `sign-on ${hashSecret(flow.state)}`, clock.now()))) {
        const who = { issuer: claims.iss, subject: claims.sub }
        throw new RefusedSignOn('expired', 'this sign-in was already completed', who)
      }
      const sid = typeof claims.sid === 'string' && claims.sid ? hashSecret(claims.sid) : null
      const { to, link } = flow
      return { person: personOf(claims, settings), idToken, sid, since, to, link }
    },
    async endSessions(token, access, address) {
      const { issuer, subject, sid, jti } = await inTurn(address, () => provider.logout(token))
      const origin = `sign-on logout ${hashSecret(jti)}`
      if ((await store.attempts.of([origin])).length > 0) {
        const who = { issuer, subject }
        throw new RefusedSignOn('expired', 'this logout token was already used', who)
      }
      const ended = { issuer, subject, sid: sid === null ? null : hashSecret(sid) }
      await noteEnded(store.attempts, ended, clock.now())
      await access.endSignOn(ended)
      // The provider may send the token again as long as the sessions have not ended.
      await useUp(store.attempts, origin, clock.now())
    },
    hasEnded: ({ person: { issuer, subject }, sid, since }) =>
      hasEnded(store.attempts, { issuer, subject, sid }, since),
    signOutPage: (idToken, to) => provider.signOutUrl(idToken, to).catch(() => null),
  }
}

/** Runs work that asks the provider for a client. Networks take turns, so that a flood from one keeps no other waiting. */
export function boundedTurns() {
  const inTurn = openTurns<string>(MAX_AT_ONCE, MAX_OF_NETWORK)

  return async <Answer>(address: string, work: () => Promise<Answer>): Promise<Answer> => {
    const gone = new AbortController()
    const busy = new RefusedSignOn('busy', 'too many sign-ins at once')
    const timer = setTimeout(() => gone.abort(busy), MAX_WAIT_MS)
    try {
      return await inTurn(networkOf(address), work, gone.signal)
    } finally {
      clearTimeout(timer)
    }
  }
}
