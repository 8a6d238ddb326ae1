import { FORGET_FAILURES_MS, FORGET_SIGN_IN_MS } from '../../access/attempts.ts'
import { hashSecret } from '../../access/secret.ts'
import type { Clock } from '../../domain/time/time.ts'
import type { AccessStore } from '../../store/access-store.ts'
import type { Store } from '../../store/store.ts'
import { type Flow, type Link, newFlow, openFlow, sealFlow } from './flow.ts'
import { type Person, personOf } from './person.ts'
import { openProvider } from './provider.ts'
import { RefusedSignOn } from './refused-sign-on.ts'
import type { SignOnSettings } from './settings.ts'

/** Sign-ins that ask the provider at once. More of them would let strangers make this server flood it. */
const MAX_AT_ONCE = 32

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
   * of `begin` that it brought. Throws `RefusedSignOn`.
   */
  finish(answer: URL, cookies: readonly string[]): Promise<Finished>
  /**
   * Ends the sessions that a logout token of the provider names, once. `access`: the store in the provider's name. Throws
   * `RefusedSignOn`.
   */
  endSessions(token: string, access: Pick<AccessStore, 'endSignOn'>): Promise<void>
  /** The page of the provider that ends the sign-in there, and leads to `to`. Null: it has none, or is down. */
  signOutPage(idToken: string | null, to: string): Promise<URL | null>
}

/** `sid`: the provider's id of the sign-in. Null: it gives none. */
export type Finished = { person: Person; idToken: string; sid: string | null } & Pick<
  Flow,
  'to' | 'link'
>

export function openSignOn(settings: SignOnSettings, store: Store, clock: Clock): SignOn {
  const provider = openProvider(settings, clock)
  let atOnce = 0

  async function flowIn(answer: URL, cookies: readonly string[]): Promise<Flow> {
    const state = answer.searchParams.get('state')
    const secret = await store.secret()
    const flows = cookies.map((each) => openFlow(secret, each, clock.now()))
    const flow = flows.find((each) => each !== null && each.state === state)
    if (flow === undefined || flow === null) {
      throw new RefusedSignOn('expired', 'this browser began no such sign-in, or too long ago')
    }
    return flow
  }

  /** Runs work that asks the provider. */
  async function inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (atOnce >= MAX_AT_ONCE) throw new RefusedSignOn('busy', 'too many sign-ins at once')
    atOnce++
    try {
      return await work()
    } finally {
      atOnce--
    }
  }

  return {
    settings,
    async begin(callback, to, link = null) {
      const flow = newFlow(to, link, clock.now())
      const page = await provider.signInUrl(flow, callback)
      return { page, flow: sealFlow(await store.secret(), flow) }
    },
    async finish(answer, cookies) {
      const flow = await flowIn(answer, cookies)
      const { claims, idToken } = await inTurn(() => provider.identify(flow, answer))
      if (!(await useUp(store, `sign-on ${hashSecret(flow.state)}`, clock.now()))) {
        throw new RefusedSignOn('expired', 'this sign-in was finished before')
      }
      const sid = typeof claims.sid === 'string' && claims.sid !== '' ? claims.sid : null
      return { person: personOf(claims, settings), idToken, sid, to: flow.to, link: flow.link }
    },
    async endSessions(token, access) {
      const { issuer, subject, sid, jti } = await inTurn(() => provider.logout(token))
      const origin = `sign-on logout ${hashSecret(jti)}`
      if ((await store.attempts.of([origin])).length > 0) {
        throw new RefusedSignOn('expired', 'this logout token was taken before')
      }
      await access.endSignOn({ issuer, subject, sid: sid === null ? null : hashSecret(sid) })
      // The provider may send the token again as long as the sessions have not ended.
      await useUp(store, origin, clock.now())
    },
    signOutPage: (idToken, to) => provider.signOutUrl(idToken, to).catch(() => null),
  }
}

/** Notes that something is used, as an origin of one attempt. False if it was used before, at any process. */
async function useUp({ attempts }: Store, origin: string, now: number): Promise<boolean> {
  const forget = {
    attemptsBefore: now - FORGET_FAILURES_MS,
    signInsBefore: now - FORGET_SIGN_IN_MS,
  }
  let isUsed = false
  await attempts.change(
    [origin],
    (kept) => {
      isUsed = kept.length > 0
      return isUsed ? kept : [{ origin, failures: 1, at: now, signedInAt: null }]
    },
    forget,
  )
  return !isUsed
}
