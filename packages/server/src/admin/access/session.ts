import { FORGET_SIGN_IN_MS } from '../../access/attempts.ts'
import { hashPassword, isPassword } from '../../access/password.ts'
import { hashSecret, looksLike, newSecret, SESSION, SETUP_LINK } from '../../access/secret.ts'
import { PASSWORD } from '../../domain/settings/access-settings.ts'
import { fieldsInput } from '../../operator/input.ts'
import { invalid, Refused, signedOut } from '../../operator/refused.ts'
import * as doc from '../../operator/schema.ts'
import { type AdminApi, type Call, Reply } from '../admin-api.ts'
import { ALL, operations } from '../operation.ts'
import { COOKIE, DEVICE_COOKIE } from './authenticate.ts'

/** A working day. The operator enters the password once a day. */
const SESSION_MS = 12 * 3_600_000

const SESSION_DOCUMENT = doc.record(
  {
    state: doc.choice(
      ['setup', 'signed_out', 'signed_in'],
      '`setup`: no password is set, the one-time link lets one be set; `signed_out`: it is asked for; `signed_in`: it was given, or a token.',
    ),
    expires_at: doc.instantOrNull('When this session ends automatically. Null if it does not.'),
  },
  'Whether the caller is signed in.',
  'Session',
)

const SIGN_IN = fieldsInput(
  'SignIn',
  { password: doc.text('The operator’s password.') },
  'The password.',
)

const SET_UP = fieldsInput(
  'SetUp',
  {
    token: doc.text('The part of the setup link after `#`.'),
    password: doc.ruled<string>(PASSWORD, 'The password to be set.'),
  },
  'The first password.',
)

const PASSWORD_CHANGE = fieldsInput(
  'PasswordChange',
  {
    current: doc.text('The current password.'),
    next: doc.ruled<string>(PASSWORD, 'The new password.'),
  },
  'Another password. All other sessions end.',
)

export const SESSION_OPERATIONS = operations('Sign-in', [
  {
    id: 'getSession',
    method: 'GET',
    path: '/session',
    summary: 'Whether the caller is signed in',
    scopes: null,
    answers: SESSION_DOCUMENT,
    async run({ store, caller }) {
      if (caller !== null) {
        const { expiresAt } = caller.credential
        return SESSION_DOCUMENT.write({ state: 'signed_in', expiresAt })
      }
      const isSetUp = (await store.operator.password()) !== null
      return SESSION_DOCUMENT.write({ state: isSetUp ? 'signed_out' : 'setup', expiresAt: null })
    },
  },
  {
    id: 'setUp',
    method: 'POST',
    path: '/setup',
    summary: 'Set the first password, by the one-time link',
    scopes: null,
    takes: SET_UP,
    status: 204,
    async run(call) {
      const { api, body, address, now } = call
      const { token } = body
      SET_UP.in(body)
      const password = newPassword(body.password, 'password')
      const secret = await setupIn(call, token)
      const hash = await oneByOne(() => hashPassword(password))
      const { operator } = api.storeAs('console', address)
      if (!(await operator.claim(secret, hash, now))) throw badToken(call)
      const device = await api.signIns.succeeded('set_up', call)
      return begin(call, hash, device)
    },
  },
  {
    id: 'signIn',
    method: 'POST',
    path: '/session',
    summary: 'Sign in with the password',
    scopes: null,
    isLimited: true,
    takes: SIGN_IN,
    status: 204,
    async run(call) {
      const { api, body } = call
      const { password } = body
      SIGN_IN.in(body)
      if (typeof password !== 'string') {
        throw invalid({ field: 'password', rule: 'must be text' })
      }
      await api.signIns.begin('sign_in', call)
      const kept = await api.store.operator.password()
      if (kept === null || !(await isGiven(password, kept))) {
        api.signIns.failed('sign_in', call)
        throw new Refused(401, 'wrong_password', 'that is not the password', { field: 'password' })
      }
      const device = await api.signIns.succeeded('sign_in', call)
      return begin(call, kept, device)
    },
  },
  {
    id: 'signOut',
    method: 'DELETE',
    path: '/session',
    scopes: ALL,
    summary: 'End this session',
    async run({ api, caller }) {
      const { kind, id } = caller!.credential
      if (kind === 'session') await api.store.operator.revoke('session', id)
      return new Reply(null, { 'Set-Cookie': cookie(api, COOKIE, '', 0) })
    },
  },
  {
    id: 'changePassword',
    method: 'PUT',
    path: '/password',
    scopes: ALL,
    summary: 'Change the password; all other sessions end',
    isLimited: true,
    takes: PASSWORD_CHANGE,
    async run(call) {
      const { api, caller, body } = call
      const { operator } = call.store
      PASSWORD_CHANGE.in(body)
      if (typeof body.current !== 'string')
        throw invalid({ field: 'current', rule: 'must be text' })
      const current = body.current
      const next = newPassword(body.next, 'next')
      await api.signIns.begin('change_password', call)
      const kept = await operator.password()
      if (kept === null) throw signedOut()
      if (!(await isGiven(current, kept))) {
        api.signIns.failed('change_password', call)
        throw new Refused(400, 'wrong_password', 'that is not the password', { field: 'current' })
      }
      const device = await api.signIns.succeeded('change_password', call)
      const { kind, id } = caller!.credential
      const hash = await oneByOne(() => hashPassword(next))
      const keep = kind === 'session' ? id : null
      if (!(await operator.changePassword(kept, hash, keep))) throw signedOut()
      return new Reply(null, { 'Set-Cookie': deviceCookie(api, device) })
    },
  },
])

function newPassword(value: unknown, field: string): string {
  if (!PASSWORD.holds(value)) throw invalid({ field, rule: `must be ${PASSWORD.says}` })
  return value as string
}

async function isGiven(password: string, kept: string): Promise<boolean> {
  // Do not hash a password that cannot have been set.
  return PASSWORD.holds(password) && oneByOne(() => isPassword(password, kept))
}

/**
 * The hash of the setup link in a body. Hashing a password is expensive, so the link is checked first.
 * Nobody can guess its 178 random bits, so attempts at it need not wait.
 */
async function setupIn(call: Call, token: unknown): Promise<string> {
  if (typeof token !== 'string' || !looksLike(SETUP_LINK, token)) throw badToken(call)
  const secret = hashSecret(token)
  if ((await call.api.store.operator.find(secret))?.kind !== 'setup') throw badToken(call)
  return secret
}

function badToken(call: Call): Refused {
  call.api.signIns.failed('set_up', call)
  return new Refused(
    401,
    'bad_token',
    "this link was used, or another has taken its place; 'fleetgate operator reset' makes a new one",
    { field: 'token' },
  )
}

/**
 * `password`: the hash of the given password. `device`: the new secret by which this browser is known.
 */
async function begin(call: Call, password: string, device: string): Promise<Reply> {
  const { api, userAgent, address, now } = call
  const { operator } = api.storeAs('console', address)
  const { secret, ...kept } = newSecret(SESSION)
  const name = userAgent.slice(0, 200)
  await operator.purge(now)
  const session = { ...kept, kind: 'session', name, expiresAt: now + SESSION_MS } as const
  // Another password may have been set meanwhile.
  if ((await operator.signIn(session, password, now)) === null) throw signedOut()
  const opened = cookie(api, COOKIE, secret, SESSION_MS)
  return new Reply(null, { 'Set-Cookie': [opened, deviceCookie(api, device)] })
}

function deviceCookie(api: AdminApi, device: string): string {
  return cookie(api, DEVICE_COOKIE, device, FORGET_SIGN_IN_MS)
}

function cookie({ about }: AdminApi, name: string, value: string, lastsMs: number): string {
  const secure = about.consoleUrl?.startsWith('https:') ? '; Secure' : ''
  const seconds = lastsMs / 1_000
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`
}

let last: Promise<unknown> = Promise.resolve()

/**
 * A hash takes a core and 32 MiB for 0.1 s. Hash one at a time, so that requests go on beside it. Few
 * callers wait here, because attempts at the password are slowed down before.
 */
function oneByOne<Result>(work: () => Promise<Result>): Promise<Result> {
  const mine = last.then(work)
  last = mine.catch(() => {})
  return mine
}
