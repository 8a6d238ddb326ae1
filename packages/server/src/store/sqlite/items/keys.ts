import type { Credential } from '../../../domain/credential.ts'
import type { KeyStore, NewKey, Topic } from '../../store.ts'
import type { TopicChanges } from '../changes.ts'
import type { Database } from '../database/database.ts'

const COLUMNS = `
  id, organization, name, hash, prefix, last_four AS lastFour, created_at AS createdAt,
  expires_at AS expiresAt, revoked_at AS revokedAt, last_used_at AS lastUsedAt`

/** The table of one kind of credentials, and the topic of its changes. */
type KeyKind = { table: string; topic: Topic }

export const API_KEYS: KeyKind = { table: 'api_keys', topic: 'keys' }
export const FEED_TOKENS: KeyKind = { table: 'feed_tokens', topic: 'feed_tokens' }

export function keyStore(
  database: Database,
  changes: TopicChanges,
  { table, topic }: KeyKind,
): KeyStore {
  const { reader, writer } = database
  const list = reader.prepare(`SELECT ${COLUMNS} FROM ${table} WHERE organization = ? ORDER BY id`)
  const all = reader.prepare(`SELECT ${COLUMNS} FROM ${table} WHERE revoked_at IS NULL ORDER BY id`)

  const find = writer.prepare(`SELECT ${COLUMNS} FROM ${table} WHERE organization = ? AND id = ?`)
  const insert = writer.prepare(`
    INSERT INTO ${table} (organization, name, hash, prefix, last_four, created_at, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    RETURNING ${COLUMNS}
  `)
  const revoke = writer.prepare(`UPDATE ${table} SET revoked_at = ? WHERE id = ?`)
  const endBy = writer.prepare(
    `UPDATE ${table} SET expires_at = min(coalesce(expires_at, ?2), ?2) WHERE id = ?1`,
  )
  const touch = writer.prepare(`
    UPDATE ${table} SET last_used_at = max(coalesce(last_used_at, ?3), ?3)
    WHERE organization = ?1 AND id = ?2
  `)

  const existing = (organization: number, key: number) => plain(find.get(organization, key))
  const add = (organization: number, key: NewKey, now: number) =>
    plain(
      insert.get(organization, key.name, key.hash, key.prefix, key.lastFour, now, key.expiresAt),
    )!

  return {
    issue: (organization, key, now) =>
      database.write(() => {
        const issued = add(organization, key, now)
        changes.record(organization, [topic])
        return issued
      }),
    async list(organization) {
      return database.read(() => list.all(organization).map((row) => plain(row)!))
    },
    revoke: (organization, key, now) =>
      database.write(() => {
        const before = existing(organization, key)
        if (before === null || before.revokedAt !== null) return before
        revoke.run(now, key)
        changes.record(organization, [topic])
        return existing(organization, key)
      }),
    rotate: (organization, key, replacement, oldExpiresAt, now) =>
      database.write(() => {
        const old = existing(organization, key)
        if (old === null) return null
        endBy.run(key, oldExpiresAt)
        changes.record(organization, [topic])
        return add(organization, { ...replacement, name: old.name }, now)
      }),
    async all() {
      return database.read(() => Array.from(all.iterate(), (row) => plain(row)!))
    },
    touch: (uses) =>
      database.writeIfFree(() => {
        for (const { organization, key, usedAt } of uses) touch.run(organization, key, usedAt)
      }),
  }
}

/** A SQLite row is not an ordinary object: a copy would be as large and as slow to read. */
function plain(row: object | undefined): Credential | null {
  if (row === undefined) return null
  const { id, organization, name, hash, prefix, lastFour } = row as Credential
  const { createdAt, expiresAt, revokedAt, lastUsedAt } = row as Credential
  return {
    id,
    organization,
    name,
    hash,
    prefix,
    lastFour,
    createdAt,
    expiresAt,
    revokedAt,
    lastUsedAt,
  }
}
