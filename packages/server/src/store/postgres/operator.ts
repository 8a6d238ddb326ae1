import { type AttemptCount, issuedThrough, type OperatorCredential } from '../../domain/operator.ts'
import type { NewOperatorCredential, NewOperatorToken, OperatorStore } from '../operator-store.ts'
import { noted } from './audit.ts'
import { statement } from './connection/connections.ts'
import type { Connection, Database } from './database.ts'

const COLUMNS = `
  id, kind, name, hash, prefix, last_four AS "lastFour", created_at AS "createdAt",
  expires_at AS "expiresAt", last_used_at AS "lastUsedAt", scope, organization, issuer`

const IS_CURRENT = `
  (kind <> 'session' OR password = (SELECT hash FROM operator_password))`

const PASSWORD = statement('SELECT hash FROM operator_password')
/** Operations that depend on the password or on tokens, or change them, run one after the other. */
const LOCK = statement('SELECT hash FROM operator_password FOR UPDATE')
const SET = statement('UPDATE operator_password SET hash = $1')

const FIND = statement(
  `SELECT ${COLUMNS} FROM operator_credentials WHERE hash = $1 AND ${IS_CURRENT}`,
)
const LIST = statement(
  `SELECT ${COLUMNS} FROM operator_credentials WHERE kind = $1 AND ${IS_CURRENT} ORDER BY id`,
)
const INSERT = statement(`
  INSERT INTO operator_credentials
    (kind, name, hash, prefix, last_four, created_at, expires_at, password, scope, organization,
      issuer)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  RETURNING ${COLUMNS}
`)
const VALID = statement(`
  SELECT ${COLUMNS} FROM operator_credentials
  WHERE id = $1 AND ${IS_CURRENT} AND (expires_at IS NULL OR expires_at > $2)
`)
/** Nobody deletes it until the end of the transaction. */
const LOCK_ORGANIZATION = statement('SELECT id FROM organizations WHERE id = $1 FOR KEY SHARE')
const LINK = statement(`
  SELECT id FROM operator_credentials
  WHERE kind = 'setup' AND hash = $1 AND (expires_at IS NULL OR expires_at > $2)
`)
const REMOVE_ALL = statement(`DELETE FROM operator_credentials WHERE kind = ANY($1)`)
const HAND_OVER = statement(`
  UPDATE operator_credentials SET password = $3
  WHERE kind = 'session' AND id = $1 AND password = $2
`)
const REMOVE_OTHERS = statement(`
  DELETE FROM operator_credentials WHERE kind = 'session' AND password IS DISTINCT FROM $1
`)
const REMOVE = statement('DELETE FROM operator_credentials WHERE id = ANY($1)')
const TOUCH = statement(`
  UPDATE operator_credentials SET last_used_at = greatest(last_used_at, $2) WHERE id = $1
`)
const PURGE = statement('DELETE FROM operator_credentials WHERE expires_at < $1')

const ATTEMPTS = statement(`
  SELECT origin, failures, at, signed_in_at AS "signedInAt" FROM sign_in_attempts
  WHERE origin = ANY($1) ORDER BY origin
`)
const PUT_ATTEMPTS = statement(`
  INSERT INTO sign_in_attempts (origin, failures, at, signed_in_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (origin) DO UPDATE SET
    failures = excluded.failures, at = excluded.at, signed_in_at = excluded.signed_in_at
`)
const FORGET_ATTEMPTS = statement(
  'DELETE FROM sign_in_attempts WHERE at < $1 AND coalesce(signed_in_at, 0) < $2',
)

export function operatorStore(database: Database): OperatorStore {
  /** Runs `work` with the password, which does not change until the end of the transaction. */
  function underPassword<T>(
    work: (password: string | null, connection: Connection) => Promise<T>,
  ): Promise<T> {
    return database.transaction(async (connection) => {
      const [existing] = await connection.query<{ hash: string | null }>(LOCK)
      return work(existing!.hash, connection)
    })
  }

  return {
    async password() {
      return (await database.query<{ hash: string | null }>(PASSWORD))[0]!.hash
    },
    reset: (setup, withTokens, now, note) =>
      underPassword(async (_, connection) => {
        const ended = withTokens ? await connection.query<OperatorCredential>(LIST, ['token']) : []
        connection.run(SET, [null])
        connection.run(REMOVE_ALL, [['setup', 'session', ...(withTokens ? ['token'] : [])]])
        await add(connection, setup, now)
        return noted(connection, ended, note)
      }),
    invite: (setup, now) =>
      underPassword(async (password, connection) => {
        if (password !== null) return null
        connection.run(REMOVE_ALL, [['setup']])
        return add(connection, setup, now)
      }),
    claim: (setupHash, passwordHash, now, note) =>
      underPassword(async (password, connection) => {
        if (password !== null) return false
        if ((await connection.query(LINK, [setupHash, now])).length === 0) return false
        connection.run(SET, [passwordHash])
        connection.run(REMOVE_ALL, [['setup']])
        return noted(connection, true, note)
      }),
    changePassword: (previous, next, keep, note) =>
      underPassword(async (password, connection) => {
        if (password !== previous) return false
        connection.run(SET, [next])
        connection.run(HAND_OVER, [keep, previous, next])
        connection.run(REMOVE_OTHERS, [next])
        return noted(connection, true, note)
      }),
    signIn: (session, openedBy, now, note) =>
      underPassword(async (password, connection) => {
        if (password !== openedBy) return null
        return noted(connection, await add(connection, session, now, { password }), note)
      }),
    issue: (token, by, now, note) =>
      underPassword(async (_, connection) => {
        const [issuer] = await connection.query<OperatorCredential>(VALID, [by, now])
        if (by !== null && issuer === undefined) return 'issuer_ended'
        const { organization } = token
        const [found] = await connection.query(LOCK_ORGANIZATION, [organization])
        if (organization !== null && found === undefined) return 'no_organization'
        const origin = { issuer: issuer?.kind === 'token' ? by : null }
        return noted(connection, await add(connection, token, now, origin), note)
      }),
    async find(hash) {
      return (await database.query<OperatorCredential>(FIND, [hash]))[0] ?? null
    },
    list: (kind) => database.query<OperatorCredential>(LIST, [kind]),
    revoke: (kind, id, note) =>
      underPassword(async (_, connection) => {
        const all = await connection.query<OperatorCredential>(LIST, [kind])
        const ended = issuedThrough(all, id)
        connection.run(REMOVE, [ended.map((each) => each.id)])
        return noted(connection, ended, note)
      }),
    async touch(id, usedAt) {
      await database.run(TOUCH, [id, usedAt])
    },
    purge: (before) =>
      underPassword(async (_, connection) => {
        connection.run(PURGE, [before])
      }),
    attempts: (origins) => database.query<AttemptCount>(ATTEMPTS, [origins]),
    changeAttempts: (origins, change, { attemptsBefore, signInsBefore }) =>
      underPassword(async (_, connection) => {
        const counts = change(await connection.query<AttemptCount>(ATTEMPTS, [origins]))
        for (const { origin, failures, at, signedInAt } of counts) {
          connection.run(PUT_ATTEMPTS, [origin, failures, at, signedInAt])
        }
        connection.run(FORGET_ATTEMPTS, [attemptsBefore, signInsBefore])
      }),
  }
}

type Origin = { password?: string | null; issuer?: number | null }

async function add(
  connection: Connection,
  credential: NewOperatorCredential | NewOperatorToken,
  now: number,
  { password = null, issuer = null }: Origin = {},
): Promise<OperatorCredential> {
  const { name, hash, prefix, lastFour, expiresAt } = credential
  const { scope, organization } = { scope: 'all', organization: null, ...credential }
  const shown = [credential.kind, name, hash, prefix, lastFour, now, expiresAt]
  const values = [...shown, password, scope, organization, issuer]
  return (await connection.query<OperatorCredential>(INSERT, values))[0]!
}
