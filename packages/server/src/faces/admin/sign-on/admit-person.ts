import { openSessions } from '../../../acts/ways-in.ts'
import { type Account, foldEmail, type HeldRole, isInForce } from '../../../base/domain/account.ts'
import type { Store } from '../../../engine/store/store.ts'
import { rolesOfGroups, type SignOnSettings } from '../access/sign-on-settings.ts'
import type { Person } from './claims.ts'
import type { Link } from './flow.ts'
import { RefusedSignOn } from './refused-sign-on.ts'

type Ways = Pick<Store, 'accounts' | 'access'>
type Rules = Pick<SignOnSettings, 'rules' | 'takesNewPeople'>

/**
 * The account of a person for whom the provider vouches, with the roles that follow from the person's groups. It is the
 * account with this identity, never one that only has the same address. Throws `RefusedSignOn`.
 */
export async function admit(
  store: Ways,
  person: Person,
  rules: Rules,
  now: number,
): Promise<Account> {
  const { issuer, subject, groups } = person
  const roles = groups === null ? null : rolesOfGroups(groups, rules.rules)
  const invitations = await invitationsFor(store, person, now)
  const mayBeNew = invitations.length > 0 || (rules.takesNewPeople && roles?.length)
  let account = await store.accounts.byIdentity({ issuer, subject })
  if (account === null) {
    // Whether somebody is invited by an address is not for those to know who only claim it.
    if (person.email !== null && !hasOwnAddress(person)) throw unverified()
    if (!mayBeNew) {
      throw new RefusedSignOn('no_account', 'there is no account, no invitation and no role')
    }
    account = await newAccount(store, person, now)
  }
  if (account.disabledAt !== null) throw new RefusedSignOn('disabled', 'the account is disabled')
  for (const hash of invitations) {
    account = (await store.access.acceptAs(hash, account.id, now)) ?? account
  }
  if (roles !== null) account = await withRoles(store, account, roles)
  if (account.roles.length === 0) throw new RefusedSignOn('no_role', 'the account has no role')
  return account
}

/** An account with an address that is somebody else's would keep that person out. */
function unverified(): RefusedSignOn {
  return new RefusedSignOn(
    'unverified',
    'the provider does not say that the address is verified (email_verified, xms_edov), or it has letters that become others here: have it verified or changed there, or see --sign-on-trusts-email',
  )
}

/**
 * Lets the person of an account come by this identity too. Throws `RefusedSignOn` if it is another account's, or the
 * session that began it has ended: by another password, for instance, because a stranger knew the old one.
 */
export async function linkAccount(
  store: Ways,
  { account, session }: Link,
  { issuer, subject }: Person,
  now: number,
): Promise<void> {
  const { accounts } = store
  const open = await openSessions(store, account, now)
  if (!open.some(({ id }) => id === session)) {
    throw new RefusedSignOn('expired', 'the session that began to link the account has ended')
  }
  const linked = await accounts.byIdentity({ issuer, subject })
  if (linked?.id === account) return
  const made =
    linked === null ? await accounts.link(account, { issuer, subject }) : 'identity_taken'
  if (made === 'identity_taken')
    throw new RefusedSignOn('taken', 'it is linked with another account')
}

/** Roles from before stay if the provider does not say in which groups the person is. */
async function withRoles(store: Ways, account: Account, roles: HeldRole[]): Promise<Account> {
  const changed = await store.accounts.setSignOnRoles(account.id, roles)
  if (changed === 'last_operator') {
    // The role is kept, so that the deployment keeps an operator. The person is not let in by it.
    await store.access.endSessions(account.id, null)
    throw new RefusedSignOn('no_role', 'the last operator is no longer in a group of operators')
  }
  if (changed === null) throw new RefusedSignOn('no_account', 'the account was deleted')
  return changed
}

/** An account with the same address stays with its person: nothing proves that the address is that person's. */
async function newAccount(
  { accounts }: Ways,
  { issuer, subject, email, name }: Person,
  now: number,
): Promise<Account> {
  if (email === null)
    throw new RefusedSignOn('no_account', 'the provider does not send an e-mail address')
  const folded = foldEmail(email)
  const identity = { issuer, subject }
  const given = { email: folded, name: name ?? folded, password: null, identity }
  const made = await accounts.create(given, now)
  if (typeof made === 'string') throw new RefusedSignOn('no_account', `an account exists: ${made}`)
  return made
}

/** The hashes of the valid invitations for an address that is the person's own. */
async function invitationsFor({ access }: Ways, person: Person, now: number): Promise<string[]> {
  if (!hasOwnAddress(person)) return []
  const folded = foldEmail(person.email!)
  const invitations = await access.list('invitation')
  return invitations
    .filter((each) => each.credential.name === folded && isInForce(each, now))
    .map(({ credential }) => credential.hash)
}

/**
 * Whether the provider vouches for the address under which an account is kept. Unicode has other addresses that become
 * the same when they are folded, and may be somebody else's: only large ASCII letters may change.
 */
function hasOwnAddress({ email, isEmailVerified }: Person): boolean {
  if (email === null || !isEmailVerified) return false
  return foldEmail(email) === email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}
