import type { AttemptCount, OperatorCredential } from '../../domain/operator.ts'
import type { NewOperatorCredential, OperatorStore } from '../store.ts'
import type { Connection, Database } from './database.ts'
import { statement } from './statement.ts'

const COLUMNS = `
  id, kind, name, hash, prefix, last_four AS "lastFour", created_at AS "createdAt",
  expires_at AS "expiresAt", last_used_at AS "lastUsedAt"`

const STANDS = `
  (kind <> 'session' OR password = (SELECT hash FROM operator_password))`

const PASSWORD = statement('SELECT hash FROM operator_password')
/** Whatever depends on the password or changes it is done one after the other. */
const LOCK = statement('SELECT hash FROM operator_password FOR UPDATE')
const SET = statement('UPDATE operator_password SET hash = $1')

const FIND = statement(`SELECT ${COLUMNS} FROM operator_credentials WHERE hash = $1 AND ${STANDS}`)
const LIST = statement(
  `SELECT ${COLUMNS} FROM operator_credentials WHERE kind = $1 AND ${STANDS} ORDER BY id`,
)
const INSERT = statement(`
  INSERT INTO operator_credentials
    (kind, name, hash, prefix, last_four, created_at, expires_at, password)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  RETURNING ${COLUMNS}
`)
const LINK = statement(`
  SELECT id FROM operator_credentials
  WHERE kind = 'setup' AND hash = $1 AND (expires_at IS NULL OR expires_at > $2)
`)
const REMOVE_ALL = statement('DELETE FROM operator_credentials WHERE kind = ANY($1)')
const HAND_OVER = statement(`
  UPDATE operator_credentials SET password = $3
  WHERE kind = 'session' AND id = $1 AND password = $2
`)
const REMOVE_OTHERS = statement(`
  DELETE FROM operator_credentials WHERE kind = 'session' AND password IS DISTINCT FROM $1
`)
const REMOVE = statement('DELETE FROM operator_credentials WHERE kind = $1 AND id = $2')
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
  /** Runs `work` with the password as it stands until the end of the transaction. */
  function underPassword<T>(
    work: (password: string | null, connection: Connection) => Promise<T>,
  ): Promise<T> {
    return database.transaction(async (connection) => {
      const [standing] = await connection.query<{ hash: string | null }>(LOCK)
      return work(standing!.hash, connection)
    })
  }

  return {
    async password() {
      return (await database.query<{ hash: string | null }>(PASSWORD))[0]!.hash
    },
    reset: (setup, now) =>
      underPassword(async (_, connection) => {
        connection.run(SET, [null])
        connection.run(REMOVE_ALL, [['setup', 'session']])
        return add(connection, setup, now)
      }),
    invite: (setup, now) =>
      underPassword(async (password, connection) => {
        if (password !== null) return null
        connection.run(REMOVE_ALL, [['setup']])
        return add(connection, setup, now)
      }),
    claim: (setupHash, passwordHash, now) =>
      underPassword(async (password, connection) => {
        if (password !== null) return false
        if ((await connection.query(LINK, [setupHash, now])).length === 0) return false
        connection.run(SET, [passwordHash])
        connection.run(REMOVE_ALL, [['setup']])
        return true
      }),
    changePassword: (previous, next, keep) =>
      underPassword(async (password, connection) => {
        if (password !== previous) return false
        connection.run(SET, [next])
        connection.run(HAND_OVER, [keep, previous, next])
        connection.run(REMOVE_OTHERS, [next])
        return true
      }),
    signIn: (session, openedBy, now) =>
      underPassword(async (password, connection) =>
        password === openedBy ? add(connection, session, now, openedBy) : null,
      ),
    issue: (token, now) => add(database, token, now),
    async find(hash) {
      return (await database.query<OperatorCredential>(FIND, [hash]))[0] ?? null
    },
    list: (kind) => database.query<OperatorCredential>(LIST, [kind]),
    async revoke(kind, id) {
      return (await database.run(REMOVE, [kind, id])) > 0
    },
    async touch(id, usedAt) {
      await database.run(TOUCH, [id, usedAt])
    },
    async purge(before) {
      await database.run(PURGE, [before])
    },
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

async function add(
  connection: Connection,
  { kind, name, hash, prefix, lastFour, expiresAt }: NewOperatorCredential,
  now: number,
  openedBy: string | null = null,
): Promise<OperatorCredential> {
  const values = [kind, name, hash, prefix, lastFour, now, expiresAt, openedBy]
  return (await connection.query<OperatorCredential>(INSERT, values))[0]!
}
