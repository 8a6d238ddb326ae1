import { hashPassword, isPassword, PASSWORD } from '../access/password.ts'
import { hashSecret, looksLike, newSecret, SESSION, SETUP_LINK } from '../access/secret.ts'
import { formatInstant } from '../domain/time.ts'
import { type Call, Reply } from './admin-api.ts'
import { refuseOthers } from './body.ts'
import { COOKIE } from './come-in.ts'
import type { AdminOperation } from './operation.ts'
import { invalid, Refused, signedOut, tooManyAttempts } from './refused.ts'

const TAG = 'Coming in'
/** A working day; the operator gives the password once in it. */
const SESSION_MS = 12 * 3_600_000

export const SESSION_OPERATIONS: AdminOperation[] = [
  {
    id: 'getSession',
    method: 'GET',
    path: '/session',
    tag: TAG,
    summary: 'Whether the sender has come in',
    isOpen: true,
    status: 200,
    answers: 'session',
    async run({ store, caller }) {
      if (caller !== null) {
        const { expiresAt } = caller.credential
        const ends = expiresAt === null ? null : formatInstant(expiresAt)
        return { state: 'signed_in', expires_at: ends }
      }
      const isSetUp = (await store.operator.password()) !== null
      return { state: isSetUp ? 'signed_out' : 'setup', expires_at: null }
    },
  },
  {
    id: 'setUp',
    method: 'POST',
    path: '/setup',
    tag: TAG,
    summary: 'Set the first password, by the one-time link',
    isOpen: true,
    isLimited: true,
    takes: 'setUp',
    status: 204,
    answers: null,
    async run(call) {
      const { api, body, now } = call
      const { token } = body
      refuseOthers(body, ['token', 'password'])
      const password = newPassword(body.password, 'password')
      refuseAttempt(call)
      if (typeof token !== 'string' || !looksLike(SETUP_LINK, token)) throw badToken()
      const secret = hashSecret(token)
      // A hash is dear: none for a link that is none.
      if ((await api.store.operator.find(secret))?.kind !== 'setup') throw badToken()
      const hash = await oneByOne(() => hashPassword(password))
      const { operator } = api.storeAs('console')
      if (!(await operator.claim(secret, hash, now))) throw badToken()
      api.attempts.succeeded(call.address)
      return begin(call, hash)
    },
  },
  {
    id: 'signIn',
    method: 'POST',
    path: '/session',
    tag: TAG,
    summary: 'Come in with the password',
    isOpen: true,
    isLimited: true,
    takes: 'signIn',
    status: 204,
    answers: null,
    async run(call) {
      const { api, body } = call
      const { password } = body
      refuseOthers(body, ['password'])
      if (typeof password !== 'string') {
        throw invalid({ field: 'password', rule: 'must be text' })
      }
      refuseAttempt(call)
      const kept = await api.store.operator.password()
      if (kept === null || !(await isGiven(password, kept))) {
        throw new Refused(401, 'wrong_password', 'that is not the password', { field: 'password' })
      }
      api.attempts.succeeded(call.address)
      return begin(call, kept)
    },
  },
  {
    id: 'signOut',
    method: 'DELETE',
    path: '/session',
    tag: TAG,
    summary: 'End this session',
    status: 204,
    answers: null,
    async run({ api, caller }) {
      const { kind, id } = caller!.credential
      if (kind === 'session') await api.store.operator.revoke('session', id)
      return new Reply(null, { 'Set-Cookie': cookie(api.about.consoleUrl, '', 0) })
    },
  },
  {
    id: 'changePassword',
    method: 'PUT',
    path: '/password',
    tag: TAG,
    summary: 'Put another password in place; all other sessions end',
    isLimited: true,
    takes: 'passwordChange',
    status: 204,
    answers: null,
    async run(call) {
      const { api, caller, body } = call
      const { operator } = call.store
      refuseOthers(body, ['current', 'next'])
      if (typeof body.current !== 'string')
        throw invalid({ field: 'current', rule: 'must be text' })
      const current = body.current
      const next = newPassword(body.next, 'next')
      refuseAttempt(call)
      const kept = await operator.password()
      if (kept === null) throw signedOut()
      if (!(await isGiven(current, kept))) {
        throw new Refused(400, 'wrong_password', 'that is not the password', { field: 'current' })
      }
      api.attempts.succeeded(call.address)
      const { kind, id } = caller!.credential
      const hash = await oneByOne(() => hashPassword(next))
      const keep = kind === 'session' ? id : null
      if (!(await operator.changePassword(kept, hash, keep))) throw signedOut()
      return null
    },
  },
]

function newPassword(value: unknown, field: string): string {
  if (!PASSWORD.holds(value)) throw invalid({ field, rule: `must be ${PASSWORD.says}` })
  return value as string
}

async function isGiven(password: string, kept: string): Promise<boolean> {
  // What cannot have been set is not worth a hash.
  return PASSWORD.holds(password) && oneByOne(() => isPassword(password, kept))
}

function badToken(): Refused {
  return new Refused(
    401,
    'bad_token',
    "this link was used, or another has taken its place; 'fleetgate operator reset' makes a new one",
    { field: 'token' },
  )
}

function refuseAttempt({ api, address }: Call): void {
  const waitUs = api.attempts.begin(address)
  if (waitUs > 0) throw tooManyAttempts(Math.ceil(waitUs / 1e6))
}

/** `password`: the hash of the one that was given. */
async function begin({ api, userAgent, now }: Call, password: string): Promise<Reply> {
  const { operator } = api.store
  const { secret, ...kept } = newSecret(SESSION)
  const name = userAgent.slice(0, 200)
  await operator.purge(now)
  const session = { ...kept, kind: 'session', name, expiresAt: now + SESSION_MS } as const
  // Another password may have been set meanwhile.
  if ((await operator.signIn(session, password, now)) === null) throw signedOut()
  const seconds = SESSION_MS / 1_000
  return new Reply(null, { 'Set-Cookie': cookie(api.about.consoleUrl, secret, seconds) })
}

function cookie(consoleUrl: string | null, value: string, seconds: number): string {
  const secure = consoleUrl?.startsWith('https:') ? '; Secure' : ''
  return `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`
}

const MOST_WAITING = 20
let waiting = 0
let last: Promise<unknown> = Promise.resolve()

/** A hash takes a core and 32 MiB for a tenth of a second: one at a time, so that requests go on beside it. */
async function oneByOne<Result>(work: () => Promise<Result>): Promise<Result> {
  if (waiting >= MOST_WAITING) throw new Refused(503, 'unavailable', 'too many at once; try again')
  waiting += 1
  const mine = last.then(work)
  last = mine.catch(() => {})
  return mine.finally(() => {
    waiting -= 1
  })
}
