import { type AttemptCount, issuedThrough, type OperatorCredential } from '../../domain/operator.ts'
import type { NewOperatorCredential, NewOperatorToken, OperatorStore } from '../operator-store.ts'
import type { Noted } from './audit.ts'
import type { Database } from './database/database.ts'

const COLUMNS = `
  id, kind, name, hash, prefix, last_four AS lastFour, created_at AS createdAt,
  expires_at AS expiresAt, last_used_at AS lastUsedAt, scope, organization, issuer`

const STANDS = `
  (kind <> 'session' OR password = (SELECT hash FROM operator_password))`

const LIST = `
  SELECT ${COLUMNS} FROM operator_credentials WHERE kind = ? AND ${STANDS} ORDER BY id`

const ATTEMPTS = `
  SELECT origin, failures, at, signed_in_at AS signedInAt FROM sign_in_attempts
  WHERE origin IN (SELECT value FROM json_each(?)) ORDER BY origin`

export function operatorStore(database: Database, noted: Noted): OperatorStore {
  const { reader, writer } = database
  const shown = reader.prepare('SELECT hash FROM operator_password')
  const find = reader.prepare(
    `SELECT ${COLUMNS} FROM operator_credentials WHERE hash = ? AND ${STANDS}`,
  )
  const list = reader.prepare(LIST)
  const shownAttempts = reader.prepare(ATTEMPTS)

  const existing = writer.prepare('SELECT hash FROM operator_password')
  const set = writer.prepare('UPDATE operator_password SET hash = ?')
  const insert = writer.prepare(`
    INSERT INTO operator_credentials
      (kind, name, hash, prefix, last_four, created_at, expires_at, password, scope, organization,
        issuer)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    RETURNING ${COLUMNS}
  `)
  const valid = writer.prepare(`
    SELECT ${COLUMNS} FROM operator_credentials
    WHERE id = ?1 AND ${STANDS} AND (expires_at IS NULL OR expires_at > ?2)
  `)
  const organizationExists = writer.prepare('SELECT 1 FROM organizations WHERE id = ?')
  const listed = writer.prepare(LIST)
  const link = writer.prepare(`
    SELECT 1 FROM operator_credentials
    WHERE kind = 'setup' AND hash = ?1 AND (expires_at IS NULL OR expires_at > ?2)
  `)
  const removeAll = writer.prepare(`DELETE FROM operator_credentials WHERE kind = ?`)
  const handOver = writer.prepare(`
    UPDATE operator_credentials SET password = ?3
    WHERE kind = 'session' AND id = ?1 AND password = ?2
  `)
  const removeOthers = writer.prepare(
    `DELETE FROM operator_credentials WHERE kind = 'session' AND password IS NOT ?`,
  )
  const remove = writer.prepare('DELETE FROM operator_credentials WHERE id = ?')
  const touch = writer.prepare(`
    UPDATE operator_credentials SET last_used_at = max(coalesce(last_used_at, ?2), ?2) WHERE id = ?1
  `)
  const purge = writer.prepare('DELETE FROM operator_credentials WHERE expires_at < ?')
  const attempts = writer.prepare(ATTEMPTS)
  const putAttempts = writer.prepare(`
    INSERT INTO sign_in_attempts (origin, failures, at, signed_in_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (origin) DO UPDATE SET
      failures = excluded.failures, at = excluded.at, signed_in_at = excluded.signed_in_at
  `)
  const forgetAttempts = writer.prepare(
    'DELETE FROM sign_in_attempts WHERE at < ? AND coalesce(signed_in_at, 0) < ?',
  )

  const password = () => hashIn(existing.get())

  type Origin = { password?: string; issuer?: number | null }

  function add(
    credential: NewOperatorCredential | NewOperatorToken,
    now: number,
    { password, issuer = null }: Origin = {},
  ): OperatorCredential {
    const { name, hash, prefix, lastFour, expiresAt } = credential
    const { scope, organization } = { scope: 'all', organization: null, ...credential }
    const shown = [credential.kind, name, hash, prefix, lastFour, now, expiresAt]
    return plain(insert.get(...shown, password ?? null, scope, organization, issuer))!
  }

  const listOf = (kind: string) => listed.all(kind).map((row) => plain(row)!)

  return {
    async password() {
      return database.read(() => hashIn(shown.get()))
    },
    reset: (setup, withTokens, now, note) =>
      database.write(() => {
        const ended = withTokens ? listOf('token') : []
        set.run(null)
        removeAll.run('setup')
        removeAll.run('session')
        if (withTokens) removeAll.run('token')
        add(setup, now)
        return noted(ended, note)
      }),
    invite: (setup, now) =>
      database.write(() => {
        if (password() !== null) return null
        removeAll.run('setup')
        return add(setup, now)
      }),
    claim: (setupHash, passwordHash, now, note) =>
      database.write(() => {
        if (password() !== null || link.get(setupHash, now) === undefined) return false
        set.run(passwordHash)
        removeAll.run('setup')
        return noted(true, note)
      }),
    changePassword: (previous, next, keep, note) =>
      database.write(() => {
        if (password() !== previous) return false
        set.run(next)
        if (keep !== null) handOver.run(keep, previous, next)
        removeOthers.run(next)
        return noted(true, note)
      }),
    signIn: (session, openedBy, now, note) =>
      database.write(() =>
        password() === openedBy ? noted(add(session, now, { password: openedBy }), note) : null,
      ),
    issue: (token, by, now, note) =>
      database.write(() => {
        const issuer = by === null ? null : plain(valid.get(by, now))
        if (by !== null && issuer === null) return 'issuer_ended'
        const { organization } = token
        if (organization !== null && organizationExists.get(organization) === undefined) {
          return 'no_organization'
        }
        return noted(add(token, now, { issuer: issuer?.kind === 'token' ? by : null }), note)
      }),
    async find(hash) {
      return database.read(() => plain(find.get(hash)))
    },
    async list(kind) {
      return database.read(() => list.all(kind).map((row) => plain(row)!))
    },
    revoke: (kind, id, note) =>
      database.write(() => {
        const ended = issuedThrough(listOf(kind), id)
        for (const each of ended) remove.run(each.id)
        return noted(ended, note)
      }),
    touch: (id, usedAt) =>
      database.write(() => {
        touch.run(id, usedAt)
      }),
    purge: (before) =>
      database.write(() => {
        purge.run(before)
      }),
    async attempts(origins) {
      return database.read(() => countsIn(shownAttempts.all(JSON.stringify(origins))))
    },
    changeAttempts: (origins, change, { attemptsBefore, signInsBefore }) =>
      database.write(() => {
        const counts = change(countsIn(attempts.all(JSON.stringify(origins))))
        for (const { origin, failures, at, signedInAt } of counts) {
          putAttempts.run(origin, failures, at, signedInAt)
        }
        forgetAttempts.run(attemptsBefore, signInsBefore)
      }),
  }
}

function hashIn(row: object | undefined): string | null {
  return (row as { hash: string | null }).hash
}

function countsIn(rows: object[]): AttemptCount[] {
  return rows.map((row) => ({ ...(row as AttemptCount) }))
}

/** A row of SQLite's is no ordinary object. */
function plain(row: object | undefined): OperatorCredential | null {
  return row === undefined ? null : { ...(row as OperatorCredential) }
}
