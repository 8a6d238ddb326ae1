import {
  type Account,
  type AccountSecrets,
  givesRolesIn,
  type HeldRole,
  isOperator,
  manages,
  type Role,
} from '../../base/domain/account.ts'
import type {
  AccountPatch,
  AccountStore,
  NewAccount,
  NotAllowed,
} from '../../engine/store/access-store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { noted } from './audit-tables.ts'
import type { Sql, Tables, Value } from './sql.ts'

export const SETTINGS = 'SELECT requires_totp AS "requiresTotp" FROM access_settings'

/**
 * Runs work alone among all that changes people or ways in, in every process: what it reads of them does not change until
 * the end of the transaction.
 */
export function lockedAccess({ dialect, write }: Tables) {
  const lock = `${SETTINGS} ${dialect.forUpdate}`
  return <Result>(work: (sql: Sql) => Work<Result>): Promise<Result> =>
    write(function* (sql) {
      yield* sql.one(lock, [])
      return yield* work(sql)
    })
}

/** Whether an organization exists. It stays until the end of the transaction. */
export function* organizationExists(
  sql: Sql,
  { forKeyShare }: Tables['dialect'],
  organization: number,
): Work<boolean> {
  const found = yield* sql.one(`SELECT id FROM organizations WHERE id = $1 ${forKeyShare}`, [
    organization,
  ])
  return found !== undefined
}

/** The accounts of a condition with their roles: a row for each role, or one without. */
const accounts = (condition: string) => `
  SELECT accounts.id, email, name, created_at AS "createdAt", disabled_at AS "disabledAt",
    last_sign_in_at AS "lastSignInAt", password IS NOT NULL AS "hasPassword",
    totp IS NOT NULL AS "hasTotp",
    EXISTS (SELECT 1 FROM account_identities WHERE account = accounts.id) AS "isLinked",
    role, organization, is_from_sign_on AS "isFromSignOn"
  FROM accounts LEFT JOIN account_roles ON account_roles.account = accounts.id
  WHERE ${condition} ORDER BY accounts.id, organization, is_from_sign_on`

export const ALL_ACCOUNTS = accounts('true')
export const ACCOUNT = accounts('accounts.id = $1')
export const TWO_ACCOUNTS = accounts('accounts.id IN ($1, $2)')
const BY_EMAIL = accounts('email = $1')
export const BY_IDENTITY = accounts(
  'accounts.id = (SELECT account FROM account_identities WHERE issuer = $1 AND subject = $2)',
)

type Row = Omit<Account, 'roles'> & {
  role: Role | null
  organization: number
  isFromSignOn: unknown
}

/** SQLite has no booleans. */
export function* accountsBy(
  { all }: Sql,
  statement: string,
  values: readonly Value[] = [],
): Work<Account[]> {
  const found = new Map<number, Account>()
  for (const row of yield* all<Row>(statement, values)) {
    const { role, organization, isFromSignOn, ...rest } = row
    const account = found.get(rest.id) ?? {
      ...rest,
      hasPassword: Boolean(rest.hasPassword),
      hasTotp: Boolean(rest.hasTotp),
      isLinked: Boolean(rest.isLinked),
      roles: [],
    }
    found.set(rest.id, account)
    if (role === null) continue
    account.roles.push({
      role,
      organization: organization === OF_DEPLOYMENT ? null : organization,
      isFromSignOn: Boolean(isFromSignOn),
    })
  }
  return [...found.values()]
}

/** The `organization` of a role of the deployment: a column of a key is never NULL. */
const OF_DEPLOYMENT = 0

export function* accountBy(
  sql: Sql,
  statement: string,
  values: readonly Value[],
): Work<Account | null> {
  return (yield* accountsBy(sql, statement, values))[0] ?? null
}

const SECRETS = 'SELECT password, totp FROM accounts WHERE id = $1'
const EXISTS = 'SELECT 1 AS found FROM accounts LIMIT 1'
const INSERT = `
  INSERT INTO accounts (email, name, created_at, password) VALUES ($1, $2, $3, $4) RETURNING id`
const LINK = 'INSERT INTO account_identities (issuer, subject, account) VALUES ($1, $2, $3)'
const UNLINK = 'DELETE FROM account_identities WHERE account = $1'
const END_SIGN_ON_SESSIONS = `
  DELETE FROM access_credentials WHERE kind = 'session' AND account = $1 AND is_sign_on = $2`
/** Foreign keys delete all that depends on it. */
const DELETE = 'DELETE FROM accounts WHERE id = $1'
const UPDATE = 'UPDATE accounts SET name = $2, disabled_at = $3 WHERE id = $1'
export const END_SESSIONS = `
  DELETE FROM access_credentials WHERE kind = 'session' AND account = $1 AND id <> $2`
const REMOVE_ROLE = `
  DELETE FROM account_roles
  WHERE account = $1 AND organization = $2 AND is_from_sign_on = $3`
const REMOVE_SIGN_ON = 'DELETE FROM account_roles WHERE account = $1 AND is_from_sign_on = $2'
const ADD_ROLE = `
  INSERT INTO account_roles (account, organization, is_from_sign_on, role) VALUES ($1, $2, $3, $4)`
const CHANGE_PASSWORD = 'UPDATE accounts SET password = $3 WHERE id = $1 AND password = $2'
export const SET_FACTOR = `
  UPDATE accounts SET totp = $2, totp_step = NULL, recovery_codes = $3 WHERE id = $1`
const TAKE_STEP = `
  UPDATE accounts SET totp_step = $2
  WHERE id = $1 AND totp IS NOT NULL AND (totp_step IS NULL OR totp_step < $2)`
const CODES = 'SELECT recovery_codes AS codes FROM accounts WHERE id = $1'
const SET_CODES = 'UPDATE accounts SET recovery_codes = $2 WHERE id = $1'

/** An invitation for no address is that of the first operator. */
export const REMOVE_OPEN_INVITATIONS = `
  DELETE FROM access_credentials WHERE kind = 'invitation' AND name = ''`

/** No credential has this id. */
export const NO_CREDENTIAL = 0

export function accountStore(tables: Tables): AccountStore {
  const { dialect, read } = tables
  const locked = lockedAccess(tables)
  const changed = accountChanger(tables)

  return {
    exist: async () => (await read((sql) => sql.one(EXISTS, []))) !== undefined,
    list: () => read((sql) => accountsBy(sql, ALL_ACCOUNTS)),
    find: (account) => read((sql) => accountBy(sql, ACCOUNT, [account])),
    byEmail: (email) => read((sql) => accountBy(sql, BY_EMAIL, [email])),
    byIdentity: ({ issuer, subject }) =>
      read((sql) => accountBy(sql, BY_IDENTITY, [issuer, subject])),
    async secrets(account) {
      const found = await read((sql) => sql.one<AccountSecrets>(SECRETS, [account]))
      return found === undefined ? null : { ...found }
    },
    create: (account, now, note) =>
      locked(function* (sql) {
        const added = yield* addAccount(sql, account, now)
        return typeof added === 'string' ? added : yield* noted(sql, added, note)
      }),
    delete: (account, by, note) =>
      locked(function* (sql) {
        const before = yield* accountBy(sql, ACCOUNT, [account])
        if (before === null) return null
        const refusal = yield* refusalOf(sql, before, MANAGES, by)
        if (refusal !== null) return refusal
        if (yield* isLastOperator(sql, before)) return 'last_operator'
        sql.run(DELETE, [account])
        return yield* noted(sql, before, note)
      }),
    update: (account, patch, by, now, note) =>
      changed(account, note, function* (sql, before) {
        const refusal = yield* refusalOf(sql, before, patch, by)
        if (refusal !== null) return refusal
        const { name, isDisabled, role } = patch
        const isLocked = isDisabled === true || !isOperator(rolesAfter(before, patch))
        if (isLocked && (yield* isLastOperator(sql, before))) return 'last_operator' as const
        if (role !== undefined) {
          const { organization } = role
          if (organization !== null && !(yield* organizationExists(sql, dialect, organization))) {
            return 'no_organization' as const
          }
          yield* setRole(sql, account, role)
        }
        const since = isDisabled === false ? null : (before.disabledAt ?? (isDisabled ? now : null))
        sql.run(UPDATE, [account, name ?? before.name, since])
        if (since !== null) sql.run(END_SESSIONS, [account, NO_CREDENTIAL])
      }),
    ...signOnStore(tables),
    ...secretStore(tables),
  }
}

/** Makes changes of accounts that exist, and notes how they were before. */
function accountChanger(tables: Tables) {
  const locked = lockedAccess(tables)
  return <Outcome extends string>(
    account: number,
    note: Parameters<AccountStore['update']>[4],
    change: (sql: Sql, before: Account) => Work<Outcome | undefined>,
  ): Promise<Account | Outcome | null> =>
    locked(function* (sql) {
      const before = yield* accountBy(sql, ACCOUNT, [account])
      if (before === null) return null
      const outcome = yield* change(sql, before)
      if (outcome !== undefined) return outcome
      const after = (yield* accountBy(sql, ACCOUNT, [account]))!
      return yield* noted(sql, after, note, before)
    })
}

/** The link of an account with single sign-on, and the roles that come from there. */
function signOnStore(tables: Tables): Pick<AccountStore, 'link' | 'unlink' | 'setSignOnRoles'> {
  const { dialect } = tables
  const changed = accountChanger(tables)

  return {
    link: (account, { issuer, subject }, note) =>
      changed(account, note, function* (sql) {
        if ((yield* accountBy(sql, BY_IDENTITY, [issuer, subject])) !== null) {
          return 'identity_taken' as const
        }
        sql.run(LINK, [issuer, subject, account])
      }),
    unlink: (account, by, note) =>
      changed(account, note, function* (sql, before) {
        const refusal = yield* refusalOf(sql, before, MANAGES, by)
        if (refusal !== null) return refusal
        if (!before.isLinked) return 'not_linked' as const
        const unlinked = { ...before, isLinked: false, roles: localOf(before.roles) }
        if (!isWorkingOperator(unlinked) && (yield* isLastOperator(sql, before))) {
          return 'last_operator' as const
        }
        sql.run(UNLINK, [account])
        sql.run(END_SIGN_ON_SESSIONS, [account, true])
        sql.run(REMOVE_SIGN_ON, [account, true])
      }),
    setSignOnRoles: (account, roles, note) =>
      changed(account, note, function* (sql, before) {
        const local = localOf(before.roles)
        if (yield* losesLastOperator(sql, before, [...local, ...roles])) {
          return 'last_operator' as const
        }
        sql.run(REMOVE_SIGN_ON, [account, true])
        for (const { role, organization } of roles) {
          if (organization !== null && !(yield* organizationExists(sql, dialect, organization))) {
            continue
          }
          sql.run(ADD_ROLE, [account, organization ?? OF_DEPLOYMENT, true, role])
        }
      }),
  }
}

type SecretStore = Pick<
  AccountStore,
  'changePassword' | 'setSecondFactor' | 'takeStep' | 'takeRecoveryCode'
>

/** The password and the second factor. */
function secretStore(tables: Tables): SecretStore {
  const locked = lockedAccess(tables)
  const changed = accountChanger(tables)

  return {
    async changePassword(account, previous, next, keep, note) {
      return locked(function* (sql) {
        if ((yield* sql.count(CHANGE_PASSWORD, [account, previous, next])) === 0) return false
        sql.run(END_SESSIONS, [account, keep ?? NO_CREDENTIAL])
        const changed = (yield* accountBy(sql, ACCOUNT, [account]))!
        yield* noted(sql, changed, note)
        return true
      })
    },
    async setSecondFactor(account, factor, note) {
      const set = await changed(account, note, function* (sql) {
        const codes = factor === null ? null : JSON.stringify(factor.recoveryCodes)
        yield* sql.count(SET_FACTOR, [account, factor?.totp ?? null, codes])
        return undefined
      })
      return set !== null
    },
    takeStep: async (account, step) =>
      (await locked((sql) => sql.count(TAKE_STEP, [account, step]))) === 1,
    takeRecoveryCode: (account, hash, note) =>
      locked(function* (sql) {
        const { codes } = (yield* sql.one<{ codes: string | null }>(CODES, [account])) ?? {}
        const hashes: string[] = JSON.parse(codes ?? '[]')
        if (!hashes.includes(hash)) return false
        sql.run(SET_CODES, [account, JSON.stringify(hashes.filter((each) => each !== hash))])
        yield* noted(sql, (yield* accountBy(sql, ACCOUNT, [account]))!, note)
        return true
      }),
  }
}

/** Adds an account without roles, if its address and its identity are free. */
export function* addAccount(
  sql: Sql,
  { email, name, password, identity }: NewAccount,
  now: number,
): Work<Account | 'email_taken' | 'identity_taken'> {
  if ((yield* accountBy(sql, BY_EMAIL, [email])) !== null) return 'email_taken'
  const at = identity && [identity.issuer, identity.subject]
  if (at && (yield* accountBy(sql, BY_IDENTITY, at)) !== null) return 'identity_taken'
  // The link of the first operator is worth nothing from now on.
  sql.run(REMOVE_OPEN_INVITATIONS, [])
  const { id } = (yield* sql.one<{ id: number }>(INSERT, [email, name, now, password]))!
  if (at) sql.run(LINK, [...at, id])
  return (yield* accountBy(sql, ACCOUNT, [id]))!
}

/** Sets the role of an account in an organization that does not come from single sign-on. Null: it has none. */
export function* setRole(
  sql: Sql,
  account: number,
  { role, organization }: { role: HeldRole['role'] | null; organization: number | null },
): Work<void> {
  const at = [account, organization ?? OF_DEPLOYMENT, false]
  sql.run(REMOVE_ROLE, at)
  if (role !== null) yield* sql.count(ADD_ROLE, [...at, role])
}

/** A change of a person that takes as much as disabling or renaming the person. */
const MANAGES: AccountPatch = { isDisabled: true }

/** Why an account (null: the command line) may not change a person. Null: it may. People manage themselves. */
function* refusalOf(
  sql: Sql,
  person: Account,
  { name, isDisabled, role }: AccountPatch,
  by: number | null,
): Work<NotAllowed | null> {
  if (by === null) return null
  const caller = yield* accountBy(sql, ACCOUNT, [by])
  if (caller === null || caller.disabledAt !== null) return 'caller_ended'
  const takesAll = name !== undefined || isDisabled !== undefined
  const isManaged = by === person.id || manages(caller.roles, person.roles)
  if (takesAll && !isManaged) return 'unmanaged'
  const isGiver = role === undefined || givesRolesIn(caller.roles, role.organization)
  return isGiver ? null : 'unmanaged'
}

/** The roles of a person after a change. */
function rolesAfter({ roles }: Account, { role: given }: AccountPatch): HeldRole[] {
  if (given === undefined) return roles
  const { role, organization } = given
  const left = roles.filter((each) => each.isFromSignOn || each.organization !== organization)
  return role === null ? left : [...left, { role, organization }]
}

/** The roles that do not come from single sign-on. */
export function localOf<Each extends { isFromSignOn: boolean }>(roles: readonly Each[]): Each[] {
  return roles.filter(({ isFromSignOn }) => !isFromSignOn)
}

/** Whether other roles would leave nobody who can sign in as an operator. */
function* losesLastOperator(sql: Sql, before: Account, roles: readonly HeldRole[]): Work<boolean> {
  return !isOperator(roles) && (yield* isLastOperator(sql, before))
}

function* isLastOperator(sql: Sql, account: Account): Work<boolean> {
  if (!isWorkingOperator(account)) return false
  const all = yield* accountsBy(sql, ALL_ACCOUNTS)
  return !all.some((each) => each.id !== account.id && isWorkingOperator(each))
}

function isWorkingOperator({ disabledAt, hasPassword, isLinked, roles }: Account): boolean {
  return disabledAt === null && (hasPassword || isLinked) && isOperator(roles)
}
