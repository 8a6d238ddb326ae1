import type { Credential } from '../../../domain/credential.ts'
import type { KeyScope } from '../../../domain/key-scope.ts'
import type { ApiKeyStore, NewKey, Topic } from '../../store.ts'
import type { Noted } from '../audit.ts'
import type { TopicChanges } from '../changes.ts'
import type { Database } from '../database/database.ts'

/** The table of one kind of credentials, and the topic of its changes. Only API keys have a scope or a scenario. */
type KeyKind = { table: string; topic: Topic; isOfApi: boolean }

export const API_KEYS: KeyKind = { table: 'api_keys', topic: 'keys', isOfApi: true }
export const FEED_TOKENS: KeyKind = { table: 'feed_tokens', topic: 'feed_tokens', isOfApi: false }

function columnsOf({ isOfApi }: KeyKind): string {
  return `
    id, organization, name, hash, prefix, last_four AS lastFour, created_at AS createdAt,
    expires_at AS expiresAt, revoked_at AS revokedAt, last_used_at AS lastUsedAt,
    ${isOfApi ? 'scope, scenario' : 'NULL AS scope, NULL AS scenario'}`
}

export function keyStore(
  database: Database,
  changes: TopicChanges,
  noted: Noted,
  kind: KeyKind,
): ApiKeyStore {
  const { reader, writer } = database
  const { table, topic, isOfApi } = kind
  const columns = columnsOf(kind)
  const list = reader.prepare(`SELECT ${columns} FROM ${table} WHERE organization = ? ORDER BY id`)
  const all = reader.prepare(`SELECT ${columns} FROM ${table} ORDER BY id`)

  const find = writer.prepare(`SELECT ${columns} FROM ${table} WHERE organization = ? AND id = ?`)
  const insert = writer.prepare(`
    INSERT INTO ${table} (organization, name, hash, prefix, last_four, created_at, expires_at
      ${isOfApi ? ', scope, scenario' : ''})
    VALUES (?, ?, ?, ?, ?, ?, ? ${isOfApi ? ', ?, ?' : ''})
    RETURNING ${columns}
  `)
  const revoke = writer.prepare(`UPDATE ${table} SET revoked_at = ? WHERE id = ?`)
  const endBy = writer.prepare(
    `UPDATE ${table} SET expires_at = min(coalesce(expires_at, ?2), ?2) WHERE id = ?1`,
  )
  const narrow = writer.prepare(
    `UPDATE api_keys SET scope = ?3 WHERE organization = ?1 AND id = ?2`,
  )
  const touch = writer.prepare(`
    UPDATE ${table} SET last_used_at = max(coalesce(last_used_at, ?3), ?3)
    WHERE organization = ?1 AND id = ?2
  `)

  const existing = (organization: number, key: number) => plain(find.get(organization, key))
  const add = (organization: number, key: NewKey, now: number) => {
    const { name, hash, prefix, lastFour, expiresAt, scope = null, scenario = null } = key
    const values = [organization, name, hash, prefix, lastFour, now, expiresAt]
    return plain(insert.get(...values, ...(isOfApi ? [packed(scope), scenario] : [])))!
  }

  return {
    issue: (organization, key, now, note) =>
      database.write(() => {
        const issued = add(organization, key, now)
        changes.record(organization, [topic])
        return noted(issued, note)
      }),
    async list(organization) {
      return database.read(() => list.all(organization).map((row) => plain(row)!))
    },
    revoke: (organization, key, now, note) =>
      database.write(() => {
        const before = existing(organization, key)
        if (before === null || before.revokedAt !== null) return before
        revoke.run(now, key)
        changes.record(organization, [topic])
        return noted(existing(organization, key)!, note)
      }),
    rotate: (organization, key, replacement, oldExpiresAt, now, note) =>
      database.write(() => {
        const old = existing(organization, key)
        if (old === null) return null
        endBy.run(key, oldExpiresAt)
        changes.record(organization, [topic])
        const { name, scope, scenario } = old
        return noted(add(organization, { ...replacement, name, scope, scenario }, now), note)
      }),
    setScope: (organization, key, scope, note) =>
      database.write(() => {
        const before = existing(organization, key)
        if (before === null) return null
        narrow.run(organization, key, packed(scope))
        changes.record(organization, [topic])
        return noted(existing(organization, key)!, note, before)
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
  const { createdAt, expiresAt, revokedAt, lastUsedAt, scope, scenario } = row as Credential
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
    scope: scope === null ? null : JSON.parse(scope as unknown as string),
    scenario,
  }
}

function packed(scope: KeyScope | null): string | null {
  return scope === null ? null : JSON.stringify(scope)
}
