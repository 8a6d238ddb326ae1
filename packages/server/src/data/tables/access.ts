import {
  type AccessCredential,
  type AccessSettings,
  type AttemptCount,
  covers,
  type FoundCredential,
  isInForce,
  issuedThrough,
  mayReset,
  roleOf,
} from '../../base/domain/account.ts'
import type {
  AccessStore,
  AttemptStore,
  Proof,
  PublicAddresses,
} from '../../engine/store/access-store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import {
  ACCOUNT,
  ALL_ACCOUNTS,
  accountBy,
  accountsBy,
  addAccount,
  BY_IDENTITY,
  END_SESSIONS,
  localOf,
  lockedAccess,
  NO_CREDENTIAL,
  organizationExists,
  REMOVE_OPEN_INVITATIONS,
  SET_FACTOR,
  SETTINGS,
  setRole,
  TWO_ACCOUNTS,
} from './accounts.ts'
import { noted } from './audit-tables.ts'
import type { Sql, Tables, Value } from './sql.ts'

const PUT_ATTEMPTS = `
  INSERT INTO sign_in_attempts (origin, failures, at, signed_in_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (origin) DO UPDATE SET
    failures = excluded.failures, at = excluded.at, signed_in_at = excluded.signed_in_at`
const FORGET_ATTEMPTS = `
  DELETE FROM sign_in_attempts WHERE at < $1 AND coalesce(signed_in_at, 0) < $2`

export function attemptStore(tables: Tables): AttemptStore {
  const { read, dialect } = tables
  const locked = lockedAccess(tables)
  const counts = `
    SELECT origin, failures, at, signed_in_at AS "signedInAt" FROM sign_in_attempts
    WHERE origin IN (SELECT origin FROM ${dialect.given('$1', { origin: 'text' })})
    ORDER BY origin`

  function* countsOf(sql: Sql, origins: readonly string[]): Work<AttemptCount[]> {
    const asked = JSON.stringify(origins.map((origin) => ({ origin })))
    const rows = yield* sql.all<AttemptCount>(counts, [asked])
    return rows.map((row) => ({ ...row }))
  }

  return {
    of: (origins) => read((sql) => countsOf(sql, origins)),
    change: (origins, change, { attemptsBefore, signInsBefore }) =>
      locked(function* (sql) {
        for (const count of change(yield* countsOf(sql, origins))) {
          sql.run(PUT_ATTEMPTS, [count.origin, count.failures, count.at, count.signedInAt])
        }
        sql.run(FORGET_ATTEMPTS, [attemptsBefore, signInsBefore])
      }),
  }
}

const COLUMNS = `
  id, kind, name, hash, prefix, last_four AS "lastFour", created_at AS "createdAt",
  expires_at AS "expiresAt", last_used_at AS "lastUsedAt", account, role, organization,
  issued_by AS "issuedBy", issuer, is_sign_on AS "isSignOn", sid`
const FIND = `SELECT ${COLUMNS} FROM access_credentials WHERE hash = $1`
const BY_ID = `SELECT ${COLUMNS} FROM access_credentials WHERE id = $1`
const LIST = `SELECT ${COLUMNS} FROM access_credentials WHERE kind = $1 ORDER BY id`
const sessionsOf = (identity: string) => `
  SELECT ${COLUMNS} FROM access_credentials
  WHERE kind = 'session' AND account IN (SELECT account FROM account_identities WHERE ${identity})
  ORDER BY id`
const OF_SUBJECT = sessionsOf('issuer = $1 AND subject = $2')
const OF_ISSUER = sessionsOf('issuer = $1')
const INSERT = `
  INSERT INTO access_credentials (kind, name, hash, prefix, last_four, created_at, expires_at,
    account, role, organization, issued_by, issuer, is_sign_on, sid)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
  RETURNING ${COLUMNS}`
const REMOVE = 'DELETE FROM access_credentials WHERE id = $1'
const REMOVE_RESETS = `DELETE FROM access_credentials WHERE kind = 'reset' AND account = $1`
const TOUCH = `
  UPDATE access_credentials
  SET last_used_at = CASE WHEN last_used_at > $2 THEN last_used_at ELSE $2 END WHERE id = $1`
const PURGE = 'DELETE FROM access_credentials WHERE expires_at < $1'
const SET_SETTINGS = 'UPDATE access_settings SET requires_totp = $1'
const ADDRESSES = `
  SELECT api_url AS "apiUrl", console_url AS "consoleUrl", feed_url AS "feedUrl" FROM access_settings`
const SET_ADDRESSES = 'UPDATE access_settings SET api_url = $1, console_url = $2, feed_url = $3'
const SIGNED_IN = 'UPDATE accounts SET last_sign_in_at = $2 WHERE id = $1'
const HAS_PASSWORD = 'SELECT 1 AS found FROM accounts WHERE id = $1 AND password = $2'
const SET_PASSWORD = 'UPDATE accounts SET password = $2 WHERE id = $1'

export function accessStore(tables: Tables): AccessStore {
  const { read, write } = tables
  const locked = lockedAccess(tables)

  return {
    settings: () => read(settingsIn),
    setSettings: (settings, note) =>
      locked(function* (sql) {
        const before = yield* settingsIn(sql)
        sql.run(SET_SETTINGS, [settings.requiresTotp])
        return yield* noted(sql, settings, note, before)
      }),
    async addresses() {
      return { ...(await read((sql) => sql.one<PublicAddresses>(ADDRESSES, [])))! }
    },
    async setAddresses({ apiUrl, consoleUrl, feedUrl }) {
      await write(({ count }) => count(SET_ADDRESSES, [apiUrl, consoleUrl, feedUrl]))
    },
    find: (hash) => read((sql) => foundBy(sql, FIND, [hash])),
    list: (kind) => read((sql) => withAccounts(sql, LIST, [kind])),
    openSession: (session, proof, now, note) =>
      locked(function* (sql) {
        const account = yield* accountBy(sql, ACCOUNT, [session.account])
        if (account === null || account.disabledAt !== null) return null
        if (!(yield* isProven(sql, account.id, proof))) return null
        sql.run(SIGNED_IN, [account.id, now])
        return yield* noted(sql, yield* add(sql, { ...session, kind: 'session' }, now), note)
      }),
    ...issuingStore(tables),
    ...linkStore(tables),
    revoke: (kind, id, note) =>
      locked(function* (sql) {
        const ended = issuedThrough(yield* credentials(sql, LIST, [kind]), id)
        for (const each of ended) sql.run(REMOVE, [each.id])
        return yield* noted(sql, ended, note)
      }),
    endSessions: (account, keep, note) =>
      locked(function* (sql) {
        const ended = yield* sql.count(END_SESSIONS, [account, keep ?? NO_CREDENTIAL])
        return yield* noted(sql, ended, note)
      }),
    endSignOn: ({ issuer, subject, sid }, note) =>
      locked(function* (sql) {
        const open =
          subject === null
            ? yield* credentials(sql, OF_ISSUER, [issuer])
            : yield* credentials(sql, OF_SUBJECT, [issuer, subject])
        const isMeant = (of: string | null) =>
          sid === null || of === sid || (of === null && subject !== null)
        const ended = open.filter((each) => each.isSignOn && isMeant(each.sid))
        for (const each of ended) sql.run(REMOVE, [each.id])
        return yield* noted(sql, ended, note)
      }),
    async touch(id, usedAt) {
      await write(({ count }) => count(TOUCH, [id, usedAt]))
    },
    async purge(before) {
      await locked(({ count }) => count(PURGE, [before]))
    },
  }
}

/** Issues tokens and links. */
function issuingStore(tables: Tables): Pick<AccessStore, 'issue' | 'inviteFirst' | 'issueReset'> {
  const { dialect } = tables
  const locked = lockedAccess(tables)

  return {
    issue: (given, by, now, note) =>
      locked(function* (sql) {
        if (!(yield* mayIssue(sql, given, by, now))) return 'issuer_ended'
        const { organization } = given
        if (organization !== null && !(yield* organizationExists(sql, dialect, organization))) {
          return 'no_organization'
        }
        const issued = { ...given, issuedBy: by.account, issuer: by.token }
        return yield* noted(sql, yield* add(sql, issued, now), note)
      }),
    inviteFirst: (invitation, now) =>
      locked(function* (sql) {
        if ((yield* accountsBy(sql, ALL_ACCOUNTS)).length > 0) return null
        sql.run(REMOVE_OPEN_INVITATIONS, [])
        const given = { ...invitation, kind: 'invitation', role: 'operator' } as const
        return yield* add(sql, given, now)
      }),
    issueReset: (reset, issuer, now, note) =>
      locked(function* (sql) {
        const account = yield* accountBy(sql, ACCOUNT, [reset.account])
        if (account === null) return null
        if (issuer !== null) {
          const by = yield* accountBy(sql, ACCOUNT, [issuer])
          if (by === null || !mayReset(by.roles, account)) return null
        }
        sql.run(REMOVE_RESETS, [account.id])
        const issued = { ...reset, kind: 'reset', issuedBy: issuer } as const
        return yield* noted(sql, yield* add(sql, issued, now), note)
      }),
  }
}

/** Takes links. */
function linkStore(
  tables: Tables,
): Pick<AccessStore, 'acceptAsNewcomer' | 'acceptAs' | 'resetPassword'> {
  const locked = lockedAccess(tables)

  return {
    acceptAsNewcomer: (hash, { email, name, password }, now, note) =>
      locked(function* (sql) {
        const invitation = yield* inForce(sql, 'invitation', hash, now)
        if (invitation === null) return null
        const fresh = { email: invitation.name || email, name, password, identity: null }
        const added = yield* addAccount(sql, fresh, now)
        if (added === 'email_taken') return added
        if (typeof added === 'string') {
          throw new Error('a newcomer without identity has a taken one')
        }
        yield* setRole(sql, added.id, roleOf(invitation))
        sql.run(REMOVE, [invitation.id])
        return yield* noted(sql, (yield* accountBy(sql, ACCOUNT, [added.id]))!, note)
      }),
    acceptAs: (hash, id, now, note) =>
      locked(function* (sql) {
        const invitation = yield* inForce(sql, 'invitation', hash, now)
        const before = yield* accountBy(sql, ACCOUNT, [id])
        if (invitation === null || before === null || before.disabledAt !== null) return null
        if (invitation.name !== before.email) return null
        const role = roleOf(invitation)
        // An invitation takes nothing away.
        if (!covers(localOf(before.roles), role)) yield* setRole(sql, id, role)
        sql.run(REMOVE, [invitation.id])
        return yield* noted(sql, (yield* accountBy(sql, ACCOUNT, [id]))!, note, before)
      }),
    resetPassword: (hash, password, now, note) =>
      locked(function* (sql) {
        const reset = yield* inForce(sql, 'reset', hash, now)
        if (reset === null) return null
        const account = reset.account!
        sql.run(SET_PASSWORD, [account, password])
        sql.run(SET_FACTOR, [account, null, null])
        sql.run(END_SESSIONS, [account, NO_CREDENTIAL])
        sql.run(REMOVE, [reset.id])
        return yield* noted(sql, (yield* accountBy(sql, ACCOUNT, [account]))!, note)
      }),
  }
}

function* settingsIn(sql: Sql): Work<AccessSettings> {
  const { requiresTotp } = (yield* sql.one<{ requiresTotp: unknown }>(SETTINGS, []))!
  return { requiresTotp: Boolean(requiresTotp) }
}

function* isProven(sql: Sql, account: number, proof: Proof): Work<boolean> {
  if ('password' in proof) {
    return (yield* sql.one(HAS_PASSWORD, [account, proof.password])) !== undefined
  }
  const { issuer, subject } = proof.identity
  return (yield* accountBy(sql, BY_IDENTITY, [issuer, subject]))?.id === account
}

/** Whether the issuer is still there, and has a role that covers what it gives. */
function* mayIssue(
  sql: Sql,
  given: Parameters<AccessStore['issue']>[0],
  { account, token }: Parameters<AccessStore['issue']>[1],
  now: number,
): Work<boolean> {
  if (token !== null) {
    const found = yield* foundBy(sql, BY_ID, [token])
    if (found?.credential.kind !== 'token' || !isInForce(found, now)) return false
    return covers([roleOf(found.credential)], given)
  }
  if (account === null) return true
  const by = yield* accountBy(sql, ACCOUNT, [account])
  return by !== null && by.disabledAt === null && covers(by.roles, given)
}

/** The credential of this kind in force, by its hash. */
function* inForce(
  sql: Sql,
  kind: AccessCredential['kind'],
  hash: string,
  now: number,
): Work<AccessCredential | null> {
  const found = yield* foundBy(sql, FIND, [hash])
  return found?.credential.kind === kind && isInForce(found, now) ? found.credential : null
}

function* foundBy(
  sql: Sql,
  statement: string,
  values: readonly Value[],
): Work<FoundCredential | null> {
  const [credential] = yield* credentials(sql, statement, values)
  if (credential === undefined) return null
  const { account, issuedBy } = credential
  if (account === null && issuedBy === null) return { credential, account: null, issuedBy: null }
  return found(credential, yield* accountsBy(sql, TWO_ACCOUNTS, [account, issuedBy]))
}

function* withAccounts(
  sql: Sql,
  statement: string,
  values: readonly Value[],
): Work<FoundCredential[]> {
  const listed = yield* credentials(sql, statement, values)
  const accounts = listed.length === 0 ? [] : yield* accountsBy(sql, ALL_ACCOUNTS)
  return listed.map((credential) => found(credential, accounts))
}

function found(
  credential: AccessCredential,
  accounts: readonly NonNullable<FoundCredential['account']>[],
): FoundCredential {
  const byId = (id: number | null) => accounts.find((each) => each.id === id) ?? null
  return { credential, account: byId(credential.account), issuedBy: byId(credential.issuedBy) }
}

/** SQLite has no booleans. */
function* credentials(
  { all }: Sql,
  statement: string,
  values: readonly Value[],
): Work<AccessCredential[]> {
  const rows = yield* all<AccessCredential>(statement, values)
  return rows.map((row) => ({ ...row, isSignOn: Boolean(row.isSignOn) }))
}

type Given = Pick<
  AccessCredential,
  'kind' | 'name' | 'hash' | 'prefix' | 'lastFour' | 'expiresAt'
> &
  Partial<AccessCredential>

function* add(sql: Sql, given: Given, now: number): Work<AccessCredential> {
  const { kind, name, hash, prefix, lastFour, expiresAt } = given
  const { account = null, role = null, organization = null } = given
  const { issuedBy = null, issuer = null, isSignOn = false, sid = null } = given
  const stored = [kind, name, hash, prefix, lastFour, now, expiresAt]
  const values = [...stored, account, role, organization, issuedBy, issuer, isSignOn, sid]
  return (yield* credentials(sql, INSERT, values))[0]!
}
