import type { Credential } from '../../../domain/credential.ts'
import type { KeyScope } from '../../../domain/key-scope.ts'
import type { ApiKeyStore, NewKey, Topic } from '../../store.ts'
import { noted } from '../audit.ts'
import { type Statement, statement } from '../connection/connections.ts'
import type { Connection, Database } from '../database.ts'
import type { OrganizationWrites } from './organization-writes.ts'

/** The table of one kind of credentials, and the topic of its changes. Only API keys have a scope or a scenario. */
type KeyKind = { table: string; topic: Topic; isOfApi: boolean }

export const API_KEYS: KeyKind = { table: 'api_keys', topic: 'keys', isOfApi: true }
export const FEED_TOKENS: KeyKind = { table: 'feed_tokens', topic: 'feed_tokens', isOfApi: false }

function keyStatements({ table, isOfApi }: KeyKind) {
  const columns = `
    id, organization, name, hash, prefix, last_four AS "lastFour", created_at AS "createdAt",
    expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt",
    ${isOfApi ? 'scope, scenario' : 'NULL::text AS scope, NULL::text AS scenario'}`
  return {
    list: statement(`SELECT ${columns} FROM ${table} WHERE organization = $1 ORDER BY id`),
    all: statement(`SELECT ${columns} FROM ${table} ORDER BY id`),
    find: statement(`SELECT ${columns} FROM ${table} WHERE organization = $1 AND id = $2`),
    insert: statement(`
      INSERT INTO ${table} (organization, name, hash, prefix, last_four, created_at, expires_at
        ${isOfApi ? ', scope, scenario' : ''})
      VALUES ($1, $2, $3, $4, $5, $6, $7 ${isOfApi ? ', $8, $9' : ''})
      RETURNING ${columns}
    `),
    revoke: statement(`
      UPDATE ${table} SET revoked_at = $3 WHERE organization = $1 AND id = $2 RETURNING ${columns}
    `),
    endBy: statement(`
      UPDATE ${table} SET expires_at = least(expires_at, $3) WHERE organization = $1 AND id = $2
    `),
    narrow: statement(`
      UPDATE api_keys SET scope = $3 WHERE organization = $1 AND id = $2 RETURNING ${columns}
    `),
    // Ordered by id, so that two processes never wait for each other.
    touch: statement(`
      WITH uses AS (
        SELECT id, used_at
        FROM ${table}
        JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS used (by, key, used_at)
          ON organization = by AND id = key
        ORDER BY id
        FOR NO KEY UPDATE OF ${table}
      )
      UPDATE ${table} SET last_used_at = greatest(last_used_at, used_at)
      FROM uses WHERE ${table}.id = uses.id
    `),
  }
}

export function keyStore(
  database: Database,
  writes: OrganizationWrites,
  kind: KeyKind,
): ApiKeyStore {
  const { topic, isOfApi } = kind
  const { list, all, find, insert, revoke, endBy, narrow, touch } = keyStatements(kind)

  async function add(
    connection: Connection,
    organization: number,
    key: NewKey,
    now: number,
  ): Promise<Credential> {
    const { name, hash, prefix, lastFour, expiresAt, scope = null, scenario = null } = key
    const values = [organization, name, hash, prefix, lastFour, now, expiresAt]
    const scoped = isOfApi ? [...values, packed(scope), scenario] : values
    return (await credentials(connection, insert, scoped))[0]!
  }

  return {
    async issue(organization, key, now, note) {
      const issued = await writes.write(organization, async (write) => {
        write.changed(topic)
        return noted(write, await add(write, organization, key, now), note)
      })
      if (issued === null) throw new Error(`there is no organization ${organization}`)
      return issued
    },
    list: (organization) => credentials(database, list, [organization]),
    revoke: (organization, key, now, note) =>
      writes.write(organization, async (write) => {
        const [before] = await credentials(write, find, [organization, key])
        if (before === undefined) return null
        if (before.revokedAt !== null) return before
        write.changed(topic)
        const [revoked] = await credentials(write, revoke, [organization, key, now])
        return noted(write, revoked!, note)
      }),
    rotate: (organization, key, replacement, oldExpiresAt, now, note) =>
      writes.write(organization, async (write) => {
        const [old] = await credentials(write, find, [organization, key])
        if (old === undefined) return null
        write.changed(topic)
        write.run(endBy, [organization, key, oldExpiresAt])
        const { name, scope, scenario } = old
        const issued = { ...replacement, name, scope, scenario }
        return noted(write, await add(write, organization, issued, now), note)
      }),
    setScope: (organization, key, scope, note) =>
      writes.write(organization, async (write) => {
        const [before] = await credentials(write, find, [organization, key])
        if (before === undefined) return null
        write.changed(topic)
        const values = [organization, key, packed(scope)]
        const [narrowed] = await credentials(write, narrow, values)
        return noted(write, narrowed!, note, before)
      }),
    all: () => credentials(database, all),
    async touch(uses) {
      await database.run(touch, [
        uses.map(({ organization }) => organization),
        uses.map(({ key }) => key),
        uses.map(({ usedAt }) => usedAt),
      ])
    },
  }
}

function packed(scope: KeyScope | null): string | null {
  return scope === null ? null : JSON.stringify(scope)
}

type Row = Omit<Credential, 'scope'> & { scope: string | null }

async function credentials(
  { query }: Pick<Connection, 'query'>,
  asked: Statement,
  values: readonly unknown[] = [],
): Promise<Credential[]> {
  const rows = await query<Row>(asked, values)
  return rows.map((row) => ({ ...row, scope: row.scope === null ? null : JSON.parse(row.scope) }))
}
