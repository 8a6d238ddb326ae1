import { personActor } from '../../../acts/audit/entry.ts'
import * as doc from '../../../acts/document-schema.ts'
import { newInput } from '../../../acts/input.ts'
import { HELD_ROLE } from '../../../acts/people-bodies.ts'
import { Refused, signedOut } from '../../../acts/refused.ts'
import { FORGET_SIGN_IN_MS } from '../../../base/access/attempts.ts'
import { newSecret, SESSION } from '../../../base/access/secret.ts'
import { hashRecoveryCode, stepOf } from '../../../base/access/totp.ts'
import { type Account, foldEmail } from '../../../base/domain/account.ts'
import { described, optional, TEXT } from '../../../base/domain/setting-rule.ts'
import type { Proof } from '../../../engine/store/access-store.ts'
import { type AdminApi, type Call, operations, Reply } from '../admin-api.ts'
import { DEVICE_COOKIE, deletedCookie, SESSION_COOKIE, setCookie } from './cookies.ts'
import { isGiven } from './password.ts'
import { passwordsRefused, takesPasswords } from './sign-on-settings.ts'

const OWN_ACCOUNT = doc.record(
  {
    id: doc.integer('Id of the account.'),
    email: doc.text('The e-mail address.'),
    name: doc.text('The name.'),
    has_password: doc.yes('Whether there is a password.'),
    has_totp: doc.yes(
      'Whether sign-in with the password requires a code (two-factor authentication).',
    ),
    is_linked: doc.yes('Whether the person may sign in by single sign-on.'),
  },
  'The person who has signed in. Null: a token, or nobody.',
)

const SESSION_DOCUMENT = doc.record(
  {
    state: doc.choice(
      ['setup', 'signed_out', 'signed_in'],
      '`setup`: there is no account yet, and the one-time URL creates the first. `signed_out`: the caller has to sign in. `signed_in`: the caller has signed in, or has sent a token.',
    ),
    expires_at: doc.instantOrNull('When this session ends automatically. Null if it does not.'),
    account: doc.recordOrNull(OWN_ACCOUNT),
    roles: doc.list(HELD_ROLE, 'The roles of the caller, and where they apply.'),
    must_set_up_totp: doc.yes(
      'Whether the deployment requires two-factor authentication, which the person has to set up before anything else.',
    ),
    sign_on: doc.textOrNull(
      'The name of the provider of single sign-on, which begins at `/sign-on/start`. Null: there is none.',
    ),
    takes_passwords: doc.yes('Whether people may sign in with a password.'),
  },
  'Whether the caller is signed in, and what it may do.',
  'Session',
)

const SIGN_IN = newInput<{ email: string; password: string; code: string | null }>(
  'SignIn',
  {
    email: described(TEXT, 'The e-mail address of the account.'),
    password: described(TEXT, 'Its password.'),
    code: described(
      optional(TEXT),
      'A code of the authenticator app, or a recovery code, if the account has codes. Each works once.',
    ),
  },
  {},
  'The person who signs in.',
)

/** No account has this id. */
const NOBODY = 0

export const SESSION_OPERATIONS = operations('Sign-in', [
  {
    id: 'getSession',
    method: 'GET',
    path: '/session',
    summary: 'Whether the caller is signed in, and what it may do',
    who: 'everybody',
    answers: SESSION_DOCUMENT,
    async run(call) {
      if (call.caller !== null) return sessionOf('signed_in', call)
      return sessionOf((await call.store.accounts.exist()) ? 'signed_out' : 'setup', call)
    },
  },
  {
    id: 'signIn',
    method: 'POST',
    path: '/session',
    summary:
      'Sign in with e-mail address and password, and a code if the account has two-factor authentication',
    who: 'everybody',
    isLimited: true,
    takes: SIGN_IN,
    status: 204,
    async run(call) {
      const { api } = call
      const { password, ...given } = SIGN_IN.in(call.body)
      const [email, code] = [foldEmail(given.email.trim()), given.code?.trim() || null]
      if (!takesPasswords(api.signOn)) throw passwordsRefused()
      const client = { ...call, email }
      await api.signIns.begin('sign_in', client)
      const account = await api.store.accounts.byEmail(email)
      // Asked for in any case, so that the time of the answer does not say who has an account.
      const secrets = await api.store.accounts.secrets(account?.id ?? NOBODY)
      const kept = secrets?.password ?? null
      // The same for an unknown address, an account without a password, and a disabled one.
      if (!(await isGiven(password, kept)) || account!.disabledAt !== null) {
        api.signIns.failed('sign_in', client)
        throw wrong('wrong_password', 'password', 'e-mail address or password is wrong')
      }
      if (secrets!.totp !== null) {
        if (code === null) {
          await api.signIns.passed(client)
          throw wrong('code_required', 'code', 'enter a code from your authenticator app')
        }
        await api.signIns.beginCode(account!.id, client)
        if (!(await isTaken(call, account!, secrets!.totp, code))) {
          api.signIns.failed('sign_in', client)
          throw wrong('wrong_code', 'code', 'this code is wrong or was already used')
        }
        await api.signIns.succeededCode(account!.id)
      }
      const device = await api.signIns.succeeded('sign_in', client)
      return openSession(call, account!, { password: kept! }, device)
    },
  },
  {
    id: 'signOut',
    method: 'DELETE',
    path: '/session',
    who: 'people',
    needsNoCodes: true,
    summary: 'End this session',
    async run({ api, caller }) {
      await api.store.access.revoke('session', caller!.credential.id)
      return closedSession(api)
    },
  },
])

function sessionOf(
  state: 'setup' | 'signed_out' | 'signed_in',
  { api: { signOn }, caller }: Pick<Call, 'api' | 'caller'>,
) {
  return SESSION_DOCUMENT.write({
    state,
    expiresAt: caller?.credential.expiresAt ?? null,
    account: caller?.account ?? null,
    roles: (caller?.roles ?? []).map((each) => ({ isFromSignOn: false, ...each })),
    mustSetUpTotp: caller?.isHalfway ?? false,
    signOn: signOn?.settings.name ?? null,
    takesPasswords: takesPasswords(signOn),
  })
}

/** Takes a code by time or a recovery code, which works once. */
async function isTaken(
  { api, address, now }: Call,
  account: Account,
  totp: string,
  code: string,
): Promise<boolean> {
  const { accounts } = api.storeAs(personActor(account), address)
  const step = stepOf(totp, code.replaceAll(' ', ''), now)
  if (step !== undefined) return accounts.takeStep(account.id, step)
  return accounts.takeRecoveryCode(account.id, hashRecoveryCode(code))
}

function wrong(code: string, field: string, message: string): Refused {
  return new Refused(401, code, message, { field })
}

/** A working day. A person signs in once a day. */
export const SESSION_MS = 12 * 3_600_000
const MAX_BROWSER_LENGTH = 200

/**
 * Opens a session for a person and answers with its cookie: always a new secret, in place of the session with which the
 * request came. `device`: the secret by which this browser will be known. `sid`: the provider's id of the sign-in, as it is
 * stored, of single sign-on. Throws `Refused` if `proof` does not hold any more.
 */
export async function openSession(
  call: Call,
  account: Account,
  proof: Proof,
  device: string,
  sid: string | null = null,
): Promise<Reply> {
  const { api, caller, userAgent, address, now } = call
  const { access } = api.storeAs(personActor(account), address)
  const { secret, ...kept } = newSecret(SESSION)
  await access.purge(now)
  const session = {
    ...kept,
    name: userAgent.slice(0, MAX_BROWSER_LENGTH),
    expiresAt: now + SESSION_MS,
    account: account.id,
    isSignOn: 'identity' in proof,
    sid,
  }
  if ((await access.openSession(session, proof, now)) === null) throw signedOut()
  // The entry of the sign-in is enough.
  if (caller !== null) await api.store.access.revoke('session', caller.credential.id)
  const opened = setCookie(api.about, SESSION_COOKIE, { value: secret, lastsMs: SESSION_MS })
  return new Reply(null, { 'Set-Cookie': [opened, deviceCookie(api, device)] })
}

function closedSession(api: AdminApi): Reply {
  return new Reply(null, { 'Set-Cookie': deletedCookie(api.about, SESSION_COOKIE) })
}

export function deviceCookie(api: AdminApi, device: string): string {
  return setCookie(api.about, DEVICE_COOKIE, { value: device, lastsMs: FORGET_SIGN_IN_MS })
}
