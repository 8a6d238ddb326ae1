import type { Credential } from '../../../domain/credential.ts'
import type { KeyStore, NewKey, Topic } from '../../store.ts'
import { statement } from '../connection/connections.ts'
import type { Connection, Database } from '../database.ts'
import type { OrganizationWrites } from './organization-writes.ts'

const COLUMNS = `
  id, organization, name, hash, prefix, last_four AS "lastFour", created_at AS "createdAt",
  expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"`

/** The table of one kind of credentials, and the topic of its changes. */
type KeyKind = { table: string; topic: Topic }

export const API_KEYS: KeyKind = { table: 'api_keys', topic: 'keys' }
export const FEED_TOKENS: KeyKind = { table: 'feed_tokens', topic: 'feed_tokens' }

function keyStatements(table: string) {
  return {
    list: statement(`SELECT ${COLUMNS} FROM ${table} WHERE organization = $1 ORDER BY id`),
    all: statement(`SELECT ${COLUMNS} FROM ${table} WHERE revoked_at IS NULL ORDER BY id`),
    find: statement(`SELECT ${COLUMNS} FROM ${table} WHERE organization = $1 AND id = $2`),
    insert: statement(`
      INSERT INTO ${table} (organization, name, hash, prefix, last_four, created_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      RETURNING ${COLUMNS}
    `),
    revoke: statement(`
      UPDATE ${table} SET revoked_at = $3 WHERE organization = $1 AND id = $2 RETURNING ${COLUMNS}
    `),
    endBy: statement(`
      UPDATE ${table} SET expires_at = least(expires_at, $3) WHERE organization = $1 AND id = $2
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
  { table, topic }: KeyKind,
): KeyStore {
  const { list, all, find, insert, revoke, endBy, touch } = keyStatements(table)

  async function add(
    connection: Connection,
    organization: number,
    key: NewKey,
    now: number,
  ): Promise<Credential> {
    const { name, hash, prefix, lastFour, expiresAt } = key
    const values = [organization, name, hash, prefix, lastFour, now, expiresAt]
    return (await connection.query<Credential>(insert, values))[0]!
  }

  return {
    async issue(organization, key, now) {
      const issued = await writes.write(organization, (write) => {
        write.changed(topic)
        return add(write, organization, key, now)
      })
      if (issued === null) throw new Error(`there is no organization ${organization}`)
      return issued
    },
    list: (organization) => database.query<Credential>(list, [organization]),
    revoke: (organization, key, now) =>
      writes.write(organization, async (write) => {
        const [before] = await write.query<Credential>(find, [organization, key])
        if (before === undefined) return null
        if (before.revokedAt !== null) return before
        write.changed(topic)
        return (await write.query<Credential>(revoke, [organization, key, now]))[0]!
      }),
    rotate: (organization, key, replacement, oldExpiresAt, now) =>
      writes.write(organization, async (write) => {
        const [old] = await write.query<Credential>(find, [organization, key])
        if (old === undefined) return null
        write.changed(topic)
        write.run(endBy, [organization, key, oldExpiresAt])
        return add(write, organization, { ...replacement, name: old.name }, now)
      }),
    all: () => database.query<Credential>(all),
    async touch(uses) {
      await database.run(touch, [
        uses.map(({ organization }) => organization),
        uses.map(({ key }) => key),
        uses.map(({ usedAt }) => usedAt),
      ])
    },
  }
}
