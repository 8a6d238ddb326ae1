import assert from 'node:assert/strict'
import type { AccessCredential, Account, HeldRole, Role } from '../../src/base/domain/account.ts'
import type {
  AccountStore,
  Issuer,
  NewRoleCredential,
} from '../../src/engine/store/access-store.ts'
import type { Store } from '../../src/engine/store/store.ts'
import { NOW } from './fixture.ts'

let made = 0

/** Sets a role by the command line. */
export const setRole = (
  accounts: AccountStore,
  account: number,
  organization: number | null,
  role: Role | null,
) => accounts.update(account, { role: { role, organization } }, null, NOW)

/** The stored part of a new, unique secret. */
export function freshSecret(name: string, expiresAt: number | null = NOW + 1_000) {
  made += 1
  return { name, hash: `hash ${made}`, prefix: 'fg_oper_abcd', lastFour: 'wxyz', expiresAt }
}

export const freshSession = (account: number, isSignOn = false) => ({
  ...freshSecret('Firefox'),
  account,
  isSignOn,
  sid: null,
})

/** A person with the password `a`, and roles that do not come from single sign-on. */
export async function newAccount(
  { accounts }: Store,
  roles: readonly HeldRole[] = [],
): Promise<Account> {
  made += 1
  const given = {
    email: `${made}@example.com`,
    name: `Person ${made}`,
    password: 'a',
    identity: null,
  }
  const account = await accounts.create(given, NOW)
  assert.ok(typeof account === 'object', String(account))
  for (const { role, organization } of roles)
    await setRole(accounts, account.id, organization, role)
  return (await accounts.find(account.id))!
}

export const NOBODY: Issuer = { account: null, token: null }

/** A token or an invitation, of an operator unless it is given. */
export const freshRoleCredential = (more: Partial<NewRoleCredential> = {}): NewRoleCredential => ({
  ...freshSecret('a program'),
  kind: 'token',
  role: 'operator',
  organization: null,
  ...more,
})

export async function issue(
  { access }: Store,
  more: Partial<NewRoleCredential> = {},
  issuer: Issuer = NOBODY,
): Promise<AccessCredential> {
  const issued = await access.issue(freshRoleCredential(more), issuer, NOW)
  assert.ok(typeof issued === 'object', String(issued))
  return issued
}
