import * as doc from '../../../acts/document-schema.ts'
import { fieldsInput } from '../../../acts/input.ts'
import { conflict, invalid, Refused } from '../../../acts/refused.ts'
import { hashSecret, looksLike, ONE_TIME_URL } from '../../../base/access/secret.ts'
import { EMAIL, PASSWORD, PERSON_NAME } from '../../../base/domain/access-settings.ts'
import {
  type Account,
  type FoundCredential,
  foldEmail,
  isInForce,
  ROLES,
} from '../../../base/domain/account.ts'
import type { Rule } from '../../../base/domain/setting-rule.ts'
import { type Call, operations } from '../admin-api.ts'
import { hashInTurn } from './password.ts'
import { openSession } from './session.ts'
import { passwordsRefused, takesPasswords } from './sign-on-settings.ts'

const TOKEN = doc.text('The part of the link after `#`.')

const URL_TOKEN = fieldsInput('OneTimeUrlToken', { token: TOKEN }, 'A one-time URL.')

const URL_EFFECT = doc.record(
  {
    kind: doc.choice(
      ['invitation', 'reset'],
      '`invitation`: gives a role, and creates an account if there is none; `reset`: sets a new password.',
    ),
    email: doc.textOrNull(
      'The address of the account. Null: whoever has the link chooses one, as the first operator does.',
    ),
    role: doc.choiceOrNull(ROLES, 'The role that an invitation gives.'),
    organization: doc.textOrNull(
      'The name of the organization of that role. Null: the deployment.',
    ),
    expires_at: doc.instantOrNull('When the link expires. Null: when it is used.'),
  },
  'The effect of a one-time URL.',
  'OneTimeUrl',
)

const SET_UP = fieldsInput(
  'SetUp',
  {
    token: TOKEN,
    password: doc.ruled<string>(PASSWORD, 'The new password.'),
    name: doc.optional(doc.ruled<string>(PERSON_NAME, 'The name of a new person.')),
    email: doc.optional(
      doc.ruled<string>(EMAIL, 'The address of a new person, if the link is for no address.'),
    ),
  },
  'A new person, or a new password.',
)

export const ONE_TIME_URL_OPERATIONS = operations('Sign-in', [
  {
    id: 'readOneTimeUrl',
    method: 'POST',
    path: '/link',
    summary: 'Show what a one-time URL does',
    who: 'everybody',
    takes: URL_TOKEN,
    status: 200,
    answers: URL_EFFECT,
    async run(call) {
      URL_TOKEN.in(call.body)
      return URL_EFFECT.write(await described(call, await urlIn(call)))
    },
  },
  {
    id: 'setUp',
    method: 'POST',
    path: '/setup',
    summary: 'Create an account or set a new password with a one-time URL, and sign in',
    who: 'everybody',
    takes: SET_UP,
    status: 204,
    async run(call) {
      SET_UP.in(call.body)
      const password = ruledIn(call, 'password', PASSWORD)
      for (const [field, rule] of Object.entries({ name: PERSON_NAME, email: EMAIL })) {
        if (call.body[field] !== undefined) ruledIn(call, field, rule)
      }
      const link = await urlIn(call)
      const isFromCommandLine = link.credential.issuedBy === null
      if (!isFromCommandLine && !takesPasswords(call.api.signOn)) throw passwordsRefused()
      const isReset = link.credential.kind === 'reset'
      const newcomer = isReset ? null : newcomerIn(call, link)
      // Hashing is expensive, so the link and the other fields are checked before.
      const hash = await hashInTurn(password)
      const { access } = call.api.storeAs('console', call.address)
      const used = link.credential.hash
      const account = isReset
        ? await access.resetPassword(used, hash, call.now)
        : await access.acceptAsNewcomer(used, { ...newcomer!, password: hash }, call.now)
      if (account === null) throw badToken(call)
      if (account === 'email_taken') throw emailTaken(call)
      const device = await call.api.signIns.succeeded('set_up', { ...call, email: account.email })
      return openSession(call, account, { password: hash }, device)
    },
  },
  {
    id: 'acceptInvitation',
    method: 'POST',
    path: '/invitation',
    summary: 'Accept an invitation to the address of your account',
    who: 'people',
    needsNoCodes: true,
    takes: URL_TOKEN,
    status: 204,
    async run(call) {
      URL_TOKEN.in(call.body)
      const { credential } = await urlIn(call)
      const { id, email } = call.caller!.account!
      if (credential.kind !== 'invitation') throw badToken(call)
      if (credential.name !== email) {
        throw conflict('this invitation is for another address; sign in with that account')
      }
      const accepted = await call.store.access.acceptAs(credential.hash, id, call.now)
      if (accepted === null) throw badToken(call)
    },
  },
])

/**
 * The valid link in a body. Throws `Refused` if there is none. Nobody can guess its 178 random bits, so attempts need
 * not wait.
 */
async function urlIn(call: Call): Promise<FoundCredential> {
  const { token } = call.body
  if (typeof token !== 'string' || !looksLike(ONE_TIME_URL, token)) throw badToken(call)
  const found = await call.api.store.access.find(hashSecret(token))
  if (found === null || !isInForce(found, call.now)) throw badToken(call)
  return found
}

async function described(
  { api }: Call,
  { credential, account }: FoundCredential,
): Promise<Parameters<typeof URL_EFFECT.write>[0]> {
  const { kind, name, role, organization: id, expiresAt } = credential
  const organization = id === null ? null : await api.store.organizations.find(id)
  return {
    kind: kind === 'reset' ? 'reset' : 'invitation',
    email: account?.email ?? (name || null),
    role,
    organization: organization?.name ?? null,
    expiresAt,
  }
}

/** The name, and the address of the link or, if it is for none, of the body. Throws `Refused`. */
function newcomerIn(call: Call, { credential }: FoundCredential): Pick<Account, 'email' | 'name'> {
  const name = ruledIn(call, 'name', PERSON_NAME)
  const email = credential.name || foldEmail(ruledIn(call, 'email', EMAIL))
  return { email, name }
}

function ruledIn({ body }: Call, field: string, rule: Rule): string {
  if (!rule.holds(body[field])) throw invalid({ field, rule: `must be ${rule.says}` })
  return body[field] as string
}

/** An attempt that only shows whether an address has an account leaves a trace. */
function emailTaken(call: Call): Refused {
  call.api.signIns.failed('set_up', call, { why: 'there is an account with this address' })
  return conflict(
    'there is an account with this address; sign in, and open the link again',
    'email',
  )
}

function badToken(call: Call): Refused {
  call.api.signIns.failed('set_up', call)
  return new Refused(
    401,
    'bad_token',
    "this link was used, has expired or was replaced; ask for a new one, or create one with 'fleetgate people'",
    { field: 'token' },
  )
}
