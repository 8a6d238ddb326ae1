import { FORGET_FAILURES_MS, FORGET_SIGN_IN_MS } from '../../access/attempts.ts'
import { hashSecret } from '../../access/secret.ts'
import type { Clock } from '../../domain/time/clock.ts'
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
  /** The page of the provider that ends the sign-in there, and leads to `to`. Null: it has none, or is down. */
  signOutPage(idToken: string | null, to: string): Promise<URL | null>
}

export type Finished = { person: Person; idToken: string } & Pick<Flow, 'to' | 'link'>

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

  async function identify(flow: Flow, answer: URL): Promise<Omit<Finished, 'to' | 'link'>> {
    if (atOnce >= MAX_AT_ONCE) throw new RefusedSignOn('busy', 'too many sign-ins at once')
    atOnce++
    try {
      const { claims, idToken } = await provider.identify(flow, answer)
      return { person: personOf(claims, settings), idToken }
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
      const identified = await identify(flow, answer)
      await useUp(store, flow, clock.now())
      return { ...identified, to: flow.to, link: flow.link }
    },
    signOutPage: (idToken, to) => provider.signOutUrl(idToken, to).catch(() => null),
  }
}

/** Throws `RefusedSignOn` if the sign-in was finished before, at any process: its state is an origin of one attempt. */
async function useUp({ attempts }: Store, { state }: Flow, now: number): Promise<void> {
  const origin = `sign-on ${hashSecret(state)}`
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
  if (isUsed) throw new RefusedSignOn('expired', 'this sign-in was finished before')
}
