import * as doc from '../../../acts/document-schema.ts'
import { fieldsInput, newInput } from '../../../acts/input.ts'
import { busy, conflict, invalid, Refused } from '../../../acts/refused.ts'
import { deletedCookie, FLOW_COOKIE, HINT_COOKIE, setCookie } from '../access/cookies.ts'
import { CURRENT, provenBy } from '../access/own-account.ts'
import { openSession, SESSION_MS } from '../access/session.ts'
import { ADMIN_PREFIX, type Call, operations, Reply } from '../admin-api.ts'
import { admit, linkAccount } from './admit-person.ts'
import { FLOW_MS, localPath } from './flow.ts'
import { RefusedSignOn, workFor } from './refused-sign-on.ts'
import type { Finished, SignOn } from './sign-on.ts'

const PATH = `${ADMIN_PREFIX}/sign-on`
/** Browsers keep 4,096 bytes of a cookie with its name and attributes. */
const MAX_HINT_LENGTH = 3_800

const TO = {
  schema: { type: 'string' },
  description: 'The path of the console to which the sign-in leads, such as `/audit`.',
}

const LINK_ACCOUNT = newInput<{ current: string }>(
  'LinkAccount',
  { current: CURRENT },
  {},
  'A person who wants to sign in by single sign-on too.',
)

const LOGOUT = fieldsInput(
  'ProviderLogout',
  {
    logout_token: doc.text('The signed token that names the person, or one sign-in of the person.'),
  },
  'A logout at the provider (OpenID Connect Back-Channel Logout 1.0).',
)

const SIGN_ON_PAGE = doc.record(
  { url: doc.text('The page of the provider to which the browser has to go.') },
  'The page at which a person signs on.',
  'SignOnPage',
)

/** Pages that a browser visits one after the other. Each leads to the next one, or back to the console with the reason. */
export const SIGN_ON_OPERATIONS = operations('Sign-in', [
  {
    id: 'beginSignOn',
    method: 'GET',
    path: '/sign-on/start',
    summary: 'Go to the provider of single sign-on',
    who: 'everybody',
    status: 303,
    query: { described: { to: TO } },
    run: (call) =>
      orBack(call, async (signOn) => {
        const to = localPath(call.query.get('to'))
        const { page, flow } = await signOn.begin(callbackOf(call), to)
        return goTo(page.href, [
          setCookie(call.api.about, FLOW_COOKIE, { value: flow, lastsMs: FLOW_MS }),
        ])
      }),
  },
  {
    id: 'finishSignOn',
    method: 'GET',
    path: '/sign-on/callback',
    summary: 'Return from the provider, and open a session',
    who: 'everybody',
    status: 303,
    run: (call) =>
      orBack(call, async (signOn) => {
        const answer = new URL(`${callbackOf(call)}?${call.query}`)
        const finished = await signOn.finish(answer, call.cookies(FLOW_COOKIE), call.address)
        const session = await workFor(finished.person, () => sessionOf(call, signOn, finished))
        const { to, idToken } = finished
        const hint = idToken.length > MAX_HINT_LENGTH ? 'long' : idToken
        return goTo(to, [
          ...session,
          deletedCookie(call.api.about, FLOW_COOKIE),
          setCookie(call.api.about, HINT_COOKIE, { value: hint, lastsMs: SESSION_MS }),
        ])
      }),
  },
  {
    id: 'linkAccount',
    method: 'POST',
    path: '/account/sign-on',
    summary: 'Link your account to your sign-in at the provider',
    who: 'people',
    isLimited: true,
    takes: LINK_ACCOUNT,
    status: 200,
    answers: SIGN_ON_PAGE,
    async run(call) {
      const { account } = await provenBy(call, LINK_ACCOUNT.in(call.body).current)
      const { signOn } = call.api
      if (signOn === null) throw conflict('single sign-on is not configured')
      const { page, flow } = await signOn
        .begin(callbackOf(call), '/', { account: account.id, session: call.caller!.credential.id })
        .catch((error: unknown) => {
          throw error instanceof RefusedSignOn ? providerDown() : error
        })
      const begun = setCookie(call.api.about, FLOW_COOKIE, { value: flow, lastsMs: FLOW_MS })
      return new Reply(SIGN_ON_PAGE.write({ url: page.href }), { 'Set-Cookie': [begun] })
    },
  },
  {
    id: 'endSessionsOfProvider',
    method: 'POST',
    path: '/sign-on/logout',
    summary: 'End the sessions of somebody who signed out at the provider, which posts this',
    who: 'everybody',
    takesSignedForm: true,
    takes: LOGOUT,
    status: 200,
    async run(call) {
      const { logout_token: token } = call.body
      if (typeof token !== 'string') throw invalid({ field: 'logout_token', rule: 'is missing' })
      const { signOn } = call.api
      if (signOn === null) throw conflict('single sign-on is not configured')
      const { access } = call.api.storeAs('single sign-on', call.address)
      await signOn.endSessions(token, access, call.address).catch((error: unknown) => {
        throw error instanceof RefusedSignOn ? refusedLogout(call, error) : error
      })
    },
  },
  {
    id: 'endSignOn',
    method: 'GET',
    path: '/sign-on/end',
    summary:
      'Sign out at the provider as well, if it lets people sign out, after the session has ended',
    who: 'everybody',
    status: 303,
    async run(call) {
      const [hint] = call.cookies(HINT_COOKIE)
      const { signOn } = call.api
      const idToken = hint === undefined || hint === 'long' ? null : hint
      const page =
        hint === undefined || signOn === null
          ? null
          : await signOn.signOutPage(idToken, `${originOf(call)}/`)
      return goTo(page?.href ?? '/', [deletedCookie(call.api.about, HINT_COOKIE)])
    },
  },
])

/** The provider sends the token again if this server cannot check it now. */
function refusedLogout(call: Call, { failure, message, who }: RefusedSignOn): Refused {
  call.api.signIns.failed('provider_end', call, { failure, why: message, ...who })
  if (failure === 'unavailable') return providerDown()
  if (failure === 'busy') return busy(message)
  return invalid({ field: 'logout_token', rule: `is refused: ${message}` })
}

function providerDown(): Refused {
  return new Refused(503, 'provider_down', 'the single sign-on provider cannot be reached')
}

/** Where the provider sends the browser back to. It has to be registered there. */
function callbackOf(call: Call): string {
  return `${originOf(call)}${PATH}/callback`
}

/** The console's own address. `Host` is one of its names, which the listener has checked. */
function originOf({ api, host }: Call): string {
  return api.about.consoleUrl ?? `http://${host}`
}

/** No referrer: the next page must not see the texts and parameters of the provider. */
function goTo(location: string, cookies: readonly string[]): Reply {
  return new Reply(null, {
    Location: location,
    'Set-Cookie': cookies,
    'Referrer-Policy': 'no-referrer',
  })
}

/** Leads back to the console's sign-in, which shows the reason, if the sign-in fails. */
async function orBack(call: Call, work: (signOn: SignOn) => Promise<Reply>): Promise<Reply> {
  const { signOn, signIns } = call.api
  try {
    if (signOn === null) throw new RefusedSignOn('unavailable', 'single sign-on is not configured')
    return await work(signOn)
  } catch (error) {
    if (!(error instanceof RefusedSignOn)) throw error
    const { failure, message, who } = error
    signIns.failed('sign_on', call, { failure, why: message, ...who })
    return goTo(`/?sign_on=${failure}`, [])
  }
}

/** The cookies of a new session of a person for whom the provider vouches. Throws `RefusedSignOn`. */
async function sessionOf(
  call: Call,
  signOn: SignOn,
  finished: Finished,
): Promise<readonly string[]> {
  const store = call.api.storeAs('single sign-on', call.address)
  const { person, link, sid } = finished
  if (link !== null) await linkAccount(store, link, person, call.now)
  const account = await admit(store, person, signOn.settings, call.now)
  const device = await call.api.signIns.succeeded('sign_on', { ...call, email: account.email })
  const { issuer, subject } = person
  const proof = { identity: { issuer, subject } }
  const { headers } = await openSession(call, account, proof, device, sid)
  if (await signOn.hasEnded(finished)) {
    await store.access.endSignOn({ issuer, subject, sid })
    throw new RefusedSignOn('expired', 'the provider has since ended this sign-in')
  }
  return headers['Set-Cookie'] as readonly string[]
}
