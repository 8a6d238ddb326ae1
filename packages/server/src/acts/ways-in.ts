import { TOKEN_RULES, type TokenSettings } from '../base/domain/access-settings.ts'
import {
  type AccessCredential,
  type FoundCredential,
  isInForce,
  ROLES,
} from '../base/domain/account.ts'
import type { Store } from '../engine/store/store.ts'
import * as doc from './document-schema.ts'
import { newInput } from './input.ts'

type Ways = Pick<Store, 'access'>

/** The form in the console and on the command line. */
export const SESSION = {
  id: doc.integer('Id of the session.'),
  browser: doc.text('How the browser names itself.'),
  created_at: doc.instant('When the person signed in.'),
  last_used_at: doc.instantOrNull('When it was last used, to the minute. Null: never.'),
  expires_at: doc.instantOrNull('When it ends automatically.'),
  is_sign_on: doc.yes('Whether single sign-on opened it.'),
}

/** The open sessions of an account, by id. */
export async function openSessions({ access }: Ways, account: number, now: number) {
  const all = await access.list('session')
  return all
    .filter((each) => each.credential.account === account && isInForce(each, now))
    .map(({ credential }) => ({ ...credential, browser: credential.name }))
}

/** Ends an open session of an account. Returns whether there was one with this id. */
export async function endSession(
  store: Ways,
  account: number,
  session: number,
  now: number,
): Promise<boolean> {
  const isOpen = (await openSessions(store, account, now)).some(({ id }) => id === session)
  return isOpen && (await store.access.revoke('session', session)).length > 0
}

/** The open invitations to an organization, or (null) all, by id. */
export async function openInvitations(
  { access }: Ways,
  organization: number | null,
  now: number,
): Promise<FoundCredential[]> {
  const all = await access.list('invitation')
  return all.filter((each) => isInForce(each, now) && isOf(each.credential, organization))
}

/** The tokens of an organization, or (null) all, by id. */
export async function tokensOf(
  { access }: Ways,
  organization: number | null,
): Promise<AccessCredential[]> {
  const tokens = (await access.list('token')).map(({ credential }) => credential)
  return tokens.filter((each) => isOf(each, organization))
}

function isOf(credential: AccessCredential, organization: number | null): boolean {
  return organization === null || credential.organization === organization
}

/** The form in the console and on the command line. */
export const TOKEN = doc.record(
  {
    id: doc.integer('Id of the token.'),
    name: doc.text('Its purpose.'),
    role: doc.choice(ROLES, 'The role of the token.'),
    organization: doc.integerOrNull('In this organization. Null: in the whole deployment.'),
    issuer: doc.integerOrNull(
      'Id of the token that issued it; it ends with that one. Null: a person or the command line issued it.',
    ),
    issued_by: doc.integerOrNull(
      'Id of the person who issued it, directly or by tokens. It works as long as that person has these rights. Null: the command line issued it.',
    ),
    prefix: doc.text('Its first characters.'),
    last_four: doc.text('Its last four characters.'),
    created_at: doc.instant('When it was issued.'),
    expires_at: doc.instantOrNull('When it expires. Null: never.'),
    last_used_at: doc.instantOrNull('When it was last used, to the minute. Null: never.'),
  },
  'A token with which a program uses this API: `Authorization: Bearer <token>`.',
  'Token',
)

export const TOKENS = doc.items(TOKEN, 'The tokens, by id.', 'Tokens')

/** A token always has a role. */
export function tokenDocument(token: AccessCredential) {
  return TOKEN.write({ ...token, role: token.role! })
}

export const ISSUED_TOKEN = doc.record(
  { token: TOKEN, secret: doc.text('The token itself. It is shown only once.') },
  'A new token.',
  'IssuedToken',
)

const newToken = (name: string, place: keyof typeof TOKEN_RULES) =>
  newInput<TokenSettings>(
    name,
    TOKEN_RULES[place],
    {},
    'A token to issue. It has no more rights than its issuer. If a token issues it, it does not outlast that token.',
    { expires_at: doc.optional(doc.instantOrNull('When it expires. Null or absent: never.')) },
  )

export const NEW_TOKEN = {
  deployment: newToken('NewToken', 'deployment'),
  organization: newToken('NewOrganizationToken', 'organization'),
}
