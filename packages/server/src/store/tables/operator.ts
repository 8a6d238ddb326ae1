import { type AttemptCount, issuedThrough, type OperatorCredential } from '../../domain/operator.ts'
import type { Work } from '../../fold/work.ts'
import type { NewOperatorCredential, NewOperatorToken, OperatorStore } from '../operator-store.ts'
import { noted } from './audit.ts'
import type { Dialect, Sql, Tables, Value } from './sql.ts'

const COLUMNS = `
  id, kind, name, hash, prefix, last_four AS "lastFour", created_at AS "createdAt",
  expires_at AS "expiresAt", last_used_at AS "lastUsedAt", scope, organization, issuer`
const IS_CURRENT = `
  (kind <> 'session' OR password = (SELECT hash FROM operator_password))`
const IS_VALID = '(expires_at IS NULL OR expires_at > $2)'

const PASSWORD = 'SELECT hash FROM operator_password'
const SET = 'UPDATE operator_password SET hash = $1'
const FIND = `SELECT ${COLUMNS} FROM operator_credentials WHERE hash = $1 AND ${IS_CURRENT}`
const LIST = `
  SELECT ${COLUMNS} FROM operator_credentials WHERE kind = $1 AND ${IS_CURRENT} ORDER BY id`
const INSERT = `
  INSERT INTO operator_credentials
    (kind, name, hash, prefix, last_four, created_at, expires_at, password, scope, organization,
      issuer)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  RETURNING ${COLUMNS}`
const VALID = `
  SELECT ${COLUMNS} FROM operator_credentials WHERE id = $1 AND ${IS_CURRENT} AND ${IS_VALID}`
const LINK = `
  SELECT id FROM operator_credentials WHERE kind = 'setup' AND hash = $1 AND ${IS_VALID}`
const REMOVE_ALL = `DELETE FROM operator_credentials WHERE kind = $1`
const HAND_OVER = `
  UPDATE operator_credentials SET password = $3
  WHERE kind = 'session' AND id = $1 AND password = $2`
const REMOVE_OTHERS = `
  DELETE FROM operator_credentials WHERE kind = 'session' AND password IS DISTINCT FROM $1`
const REMOVE = 'DELETE FROM operator_credentials WHERE id = $1'
const TOUCH = `
  UPDATE operator_credentials
  SET last_used_at = CASE WHEN last_used_at > $2 THEN last_used_at ELSE $2 END WHERE id = $1`
const PURGE = 'DELETE FROM operator_credentials WHERE expires_at < $1'
const PUT_ATTEMPTS = `
  INSERT INTO sign_in_attempts (origin, failures, at, signed_in_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (origin) DO UPDATE SET
    failures = excluded.failures, at = excluded.at, signed_in_at = excluded.signed_in_at`
const FORGET_ATTEMPTS = `
  DELETE FROM sign_in_attempts WHERE at < $1 AND coalesce(signed_in_at, 0) < $2`

export function operatorStore({ dialect, read, write }: Tables): OperatorStore {
  const { lock, lockOrganization, attempts } = statements(dialect)

  /**
   * Runs work with the password, which does not change until the end of the transaction. Operations that depend on the
   * password or on tokens, or change them, run one after the other.
   */
  function underPassword<T>(work: (password: string | null, sql: Sql) => Work<T>): Promise<T> {
    return write(function* (sql) {
      const { hash } = (yield* sql.one<{ hash: string | null }>(lock, []))!
      return yield* work(hash, sql)
    })
  }

  function* attemptsOf(sql: Sql, origins: readonly string[]): Work<AttemptCount[]> {
    const asked = JSON.stringify(origins.map((origin) => ({ origin })))
    const rows = yield* sql.all<AttemptCount>(attempts, [asked])
    return rows.map((row) => ({ ...row }))
  }

  return {
    async password() {
      return (await read(({ one }) => one<{ hash: string | null }>(PASSWORD, [])))!.hash
    },
    reset: (setup, withTokens, now, note) =>
      underPassword(function* (_, sql) {
        const ended = withTokens ? yield* credentials(sql, LIST, ['token']) : []
        sql.run(SET, [null])
        const kinds = ['setup', 'session', ...(withTokens ? ['token'] : [])]
        for (const kind of kinds) sql.run(REMOVE_ALL, [kind])
        yield* add(sql, setup, now)
        return yield* noted(sql, ended, note)
      }),
    invite: (setup, now) =>
      underPassword(function* (password, sql) {
        if (password !== null) return null
        sql.run(REMOVE_ALL, ['setup'])
        return yield* add(sql, setup, now)
      }),
    claim: (setupHash, passwordHash, now, note) =>
      underPassword(function* (password, sql) {
        if (password !== null) return false
        if ((yield* sql.one(LINK, [setupHash, now])) === undefined) return false
        sql.run(SET, [passwordHash])
        sql.run(REMOVE_ALL, ['setup'])
        return yield* noted(sql, true, note)
      }),
    changePassword: (previous, next, keep, note) =>
      underPassword(function* (password, sql) {
        if (password !== previous) return false
        sql.run(SET, [next])
        sql.run(HAND_OVER, [keep, previous, next])
        sql.run(REMOVE_OTHERS, [next])
        return yield* noted(sql, true, note)
      }),
    signIn: (session, openedBy, now, note) =>
      underPassword(function* (password, sql) {
        if (password !== openedBy) return null
        return yield* noted(sql, yield* add(sql, session, now, { password }), note)
      }),
    issue: (token, by, now, note) =>
      underPassword(function* (_, sql) {
        const [issuer] = yield* credentials(sql, VALID, [by, now])
        if (by !== null && issuer === undefined) return 'issuer_ended'
        const { organization } = token
        const found = yield* sql.one(lockOrganization, [organization])
        if (organization !== null && found === undefined) return 'no_organization'
        const origin = { issuer: issuer?.kind === 'token' ? by : null }
        return yield* noted(sql, yield* add(sql, token, now, origin), note)
      }),
    async find(hash) {
      return (await read((sql) => credentials(sql, FIND, [hash])))[0] ?? null
    },
    list: (kind) => read((sql) => credentials(sql, LIST, [kind])),
    revoke: (kind, id, note) =>
      underPassword(function* (_, sql) {
        const ended = issuedThrough(yield* credentials(sql, LIST, [kind]), id)
        for (const each of ended) sql.run(REMOVE, [each.id])
        return yield* noted(sql, ended, note)
      }),
    async touch(id, usedAt) {
      await write(({ count }) => count(TOUCH, [id, usedAt]))
    },
    async purge(before) {
      await underPassword((_, { count }) => count(PURGE, [before]))
    },
    attempts: (origins) => read((sql) => attemptsOf(sql, origins)),
    changeAttempts: (origins, change, { attemptsBefore, signInsBefore }) =>
      underPassword(function* (_, sql) {
        for (const count of change(yield* attemptsOf(sql, origins))) {
          sql.run(PUT_ATTEMPTS, [count.origin, count.failures, count.at, count.signedInAt])
        }
        sql.run(FORGET_ATTEMPTS, [attemptsBefore, signInsBefore])
      }),
  }
}

function statements({ given, forUpdate, forKeyShare }: Dialect) {
  return {
    lock: `${PASSWORD} ${forUpdate}`,
    // The organization stays until the end of the transaction.
    lockOrganization: `SELECT id FROM organizations WHERE id = $1 ${forKeyShare}`,
    attempts: `
      SELECT origin, failures, at, signed_in_at AS "signedInAt" FROM sign_in_attempts
      WHERE origin IN (SELECT origin FROM ${given('$1', { origin: 'text' })}) ORDER BY origin`,
  }
}

function* credentials(
  sql: Sql,
  statement: string,
  values: readonly Value[],
): Work<OperatorCredential[]> {
  const rows = yield* sql.all<OperatorCredential>(statement, values)
  return rows.map((row) => ({ ...row }))
}

type Origin = { password?: string | null; issuer?: number | null }

function* add(
  sql: Sql,
  credential: NewOperatorCredential | NewOperatorToken,
  now: number,
  { password = null, issuer = null }: Origin = {},
): Work<OperatorCredential> {
  const { name, hash, prefix, lastFour, expiresAt } = credential
  const { scope, organization } = { scope: 'all', organization: null, ...credential }
  const shown = [credential.kind, name, hash, prefix, lastFour, now, expiresAt]
  const values = [...shown, password, scope, organization, issuer]
  return (yield* credentials(sql, INSERT, values))[0]!
}
