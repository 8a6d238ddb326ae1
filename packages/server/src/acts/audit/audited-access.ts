import {
  type AccessCredential,
  type Account,
  type AccountRole,
  isDeploymentRole,
  roleOf,
} from '../../base/domain/account.ts'
import type { AuditAction } from '../../base/domain/audit-entry.ts'
import { passedOn } from '../../base/domain/common/passed-on.ts'
import type { AccessStore, AccountStore } from '../../engine/store/access-store.ts'
import type { NotedEntry } from '../../engine/store/audit-store.ts'
import { writtenInstant } from '../document-schema.ts'
import { type Changes, changedSettings, type EntryOf, givenSettings, personActor } from './entry.ts'

/** Audits what happens to people and their ways in. `address`: the client's address. */
export function auditedAccess(
  { accounts, access }: { accounts: AccountStore; access: AccessStore },
  entryOf: EntryOf,
  address: string | null,
): { accounts: AccountStore; access: AccessStore } {
  return {
    accounts: auditedAccounts(accounts, entryOf, address),
    access: auditedWaysIn(access, entryOf, address),
  }
}

function auditedAccounts(
  accounts: AccountStore,
  entryOf: EntryOf,
  address: string | null,
): AccountStore {
  const about = entriesAbout(entryOf, address)
  return {
    ...passedOn(accounts, [
      'exist',
      'list',
      'find',
      'byEmail',
      'byIdentity',
      'secrets',
      'takeStep',
    ]),
    create: (account, now) => accounts.create(account, now, about('person.create')),
    link: (account, identity) =>
      accounts.link(account, identity, (linked) =>
        entryOf('person.link', {
          ...subjectOf(linked),
          changes: { issuer: { to: identity.issuer } },
        }),
      ),
    unlink: (account, by) =>
      accounts.unlink(account, by, (after, before) => [
        ...entryOf('person.unlink', subjectOf(after)),
        ...roleEntries(entryOf, before, after),
      ]),
    delete: (account, by) =>
      accounts.delete(account, by, (deleted) => [
        ...entryOf('person.delete', subjectOf(deleted)),
        ...roleEntries(entryOf, deleted, { ...deleted, roles: [] }),
      ]),
    update: (account, patch, by, now) =>
      accounts.update(account, patch, by, now, (after, before) => {
        const shown = ({ name, disabledAt }: Account) => ({ name, isDisabled: disabledAt !== null })
        const named = ['name', 'isDisabled']
        const changes = changedSettings(named, shown(before), shown(after))
        const updated =
          changes === null ? [] : entryOf('person.update', { ...subjectOf(after), changes })
        return [...roleEntries(entryOf, before, after), ...updated]
      }),
    setSignOnRoles: (account, roles) =>
      accounts.setSignOnRoles(account, roles, (after, before) =>
        roleEntries(entryOf, before, after),
      ),
    changePassword: (account, previous, next, keep) =>
      accounts.changePassword(account, previous, next, keep, about('person.change_password')),
    setSecondFactor: (account, factor) =>
      accounts.setSecondFactor(
        account,
        factor,
        about(factor === null ? 'person.end_codes' : 'person.set_up_codes'),
      ),
    takeRecoveryCode: (account, hash) =>
      accounts.takeRecoveryCode(account, hash, about('person.use_recovery_code')),
  }
}

function auditedWaysIn(access: AccessStore, entryOf: EntryOf, address: string | null): AccessStore {
  const ended = (credentials: readonly AccessCredential[]) =>
    credentials.flatMap((each) =>
      entryOf(`${each.kind}.revoke`, { organization: each.organization, ...named(each) }),
    )
  /** Somebody who uses a link has no session yet, and is the person of the account. */
  const byPerson = (action: AuditAction) => (account: Account) =>
    entryOf(action, {
      ...subjectOf(account),
      actor: personActor(account),
      changes: { ...roleChanges(account.roles), ...addressOf(address) },
    })
  return {
    ...passedOn(
      access,
      ['settings', 'addresses', 'setAddresses', 'find', 'list', 'inviteFirst'],
      ['touch', 'purge'],
    ),
    setSettings: (settings) =>
      access.setSettings(settings, (after, before) => {
        const changes = changedSettings(Object.keys(after), before, after)
        return changes && entryOf('access.update', { organization: null, changes })
      }),
    openSession: (session, proof, now) =>
      access.openSession(session, proof, now, ({ account: target, isSignOn }) =>
        entryOf('session.sign_in', {
          organization: null,
          target,
          changes: { ...addressOf(address), ...(isSignOn && { single_sign_on: { to: true } }) },
        }),
      ),
    issue: (given, issuer, now) =>
      access.issue(given, issuer, now, (issued) =>
        entryOf(`${issued.kind}.issue`, {
          organization: issued.organization,
          ...named(issued),
          changes: issueChanges(issued),
        }),
      ),
    issueReset: (reset, issuer, now) =>
      access.issueReset(reset, issuer, now, ({ account: target }) =>
        entryOf('person.reset', { organization: null, target }),
      ),
    acceptAsNewcomer: (hash, newcomer, now) =>
      access.acceptAsNewcomer(hash, newcomer, now, byPerson('invitation.accept')),
    acceptAs: (hash, account, now) =>
      access.acceptAs(hash, account, now, (after, before) => [
        ...entryOf('invitation.accept', { ...subjectOf(after), changes: addressOf(address) }),
        ...roleEntries(entryOf, before, after),
      ]),
    resetPassword: (hash, password, now) =>
      access.resetPassword(hash, password, now, byPerson('person.set_password')),
    revoke: (kind, id) =>
      access.revoke(kind, id, (credentials) =>
        kind === 'session'
          ? endedSessions(entryOf, credentials[0]?.account ?? null, credentials.length)
          : ended(credentials),
      ),
    endSignOn: (of) =>
      access.endSignOn(of, (sessions) =>
        [...Map.groupBy(sessions, ({ account }) => account)].flatMap(([target, { length }]) => {
          const changes = { sessions: { to: length }, single_sign_on: { to: true } }
          return entryOf('person.end_sessions', { organization: null, target, changes })
        }),
      ),
    endSessions: (account, keep) =>
      access.endSessions(account, keep, (sessions) => endedSessions(entryOf, account, sessions)),
  }
}

function endedSessions(entryOf: EntryOf, account: number | null, sessions: number) {
  if (sessions === 0) return null
  const changes = { sessions: { to: sessions } }
  return entryOf('person.end_sessions', { organization: null, target: account, changes })
}

/** An entry about a person with the client's address. */
function entriesAbout(entryOf: EntryOf, address: string | null) {
  return (action: AuditAction) => (account: Account) =>
    entryOf(action, { ...subjectOf(account), changes: addressOf(address) })
}

function addressOf(address: string | null): Changes | null {
  return address === null ? null : { address: { to: address } }
}

function subjectOf({ id, email }: Account) {
  return { organization: null, target: id, name: email }
}

function named({ id, name }: AccessCredential) {
  return { target: id, name: name || null }
}

/** An entry for each organization in which roles changed, and one for the deployment. */
function roleEntries(entryOf: EntryOf, before: Account, after: Account): NotedEntry[] {
  const places = [...before.roles, ...after.roles].map(({ organization }) => organization)
  return [...new Set(places)].flatMap((organization) => {
    const rolesOf = ({ roles }: Account) => rolesIn(roles, organization)
    const [from, to] = [rolesOf(before), rolesOf(after)]
    if (from === to) return []
    const changes = { role: { from, to } }
    return entryOf('person.set_role', { ...subjectOf(after), organization, changes })
  })
}

/** Null: none. */
function rolesIn(held: readonly AccountRole[], organization: number | null): string | null {
  const roles = held
    .filter((each) => each.organization === organization)
    .map(({ role, isFromSignOn }) => (isFromSignOn ? `${role} (single sign-on)` : role))
  return roles.length === 0 ? null : roles.join(', ')
}

function roleChanges(roles: readonly AccountRole[]): Changes {
  const written = roles.map(({ role, organization }) =>
    isDeploymentRole(role) ? role : `${role} of organization ${organization}`,
  )
  return { roles: { to: written.join(', ') || null } }
}

/** The settings of a new token or invitation, without empty ones. */
function issueChanges(issued: AccessCredential): Changes {
  const { issuer, expiresAt } = issued
  return givenSettings({ ...roleOf(issued), issuer, expires_at: writtenInstant(expiresAt) })
}
