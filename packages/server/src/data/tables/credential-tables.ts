import {
  type Credential,
  type KeptDisclosee,
  type RequestsByDay,
  requestsSum,
} from '../../base/domain/credential.ts'
import type { KeyScope } from '../../base/domain/key-scope.ts'
import type { ApiKeyStore, LinkStore, NewKey } from '../../engine/store/key-store.ts'
import type { Topic } from '../../engine/store/store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { noted } from './audit-tables.ts'
import { addDisclosee, discloseeAfter, discloseeColumns } from './disclosees.ts'
import { type Dialect, inExisting, plainRows, type Sql, type Tables, type Value } from './sql.ts'
import { KEY_END } from './table.ts'

const LIST_DISCLOSEES =
  'SELECT id, recipient, purpose FROM disclosees WHERE organization = $1 ORDER BY id'

/** The columns that only some kinds have, with the value that the others show. */
const OWN = {
  scope: 'CAST(NULL AS text)',
  scenario: 'CAST(NULL AS text)',
  client: 'CAST(NULL AS text)',
  disclosee: '0',
  way_since: 'CAST(NULL AS bigint)',
  requests: 'CAST(NULL AS text)',
} as const
type OwnColumn = keyof typeof OWN

/** The table of one kind of credentials, the topic of its changes, and the columns of its own. */
type KeyKind = { table: string; topic: Topic; own: readonly OwnColumn[] }

export const API_KEYS: KeyKind = {
  table: 'api_keys',
  topic: 'keys',
  own: ['scope', 'scenario', 'disclosee'],
}
export const FEED_TOKENS: KeyKind = {
  table: 'feed_tokens',
  topic: 'feed_tokens',
  own: ['client', 'requests'],
}
const LINKS: KeyKind = {
  table: 'links',
  topic: 'links',
  own: ['scope', 'disclosee', 'way_since', 'requests'],
}
/** Their organization is `DEPLOYMENT`. */
export const DEPLOYMENT_TOKENS: KeyKind = { ...FEED_TOKENS, table: 'deployment_tokens' }

export function keyStore(tables: Tables, kind: KeyKind): ApiKeyStore {
  const { dialect, read, change, writeIfFree } = tables
  const { topic } = kind
  const { list, all, active, ...statement } = statements(dialect, kind)
  const { find, insert, revoke, endBy, patch, hold, touch } = statement

  return {
    issue: (organization, key, now, note) =>
      inExisting(tables, organization, function* (sql) {
        sql.changed(topic)
        return yield* noted(sql, yield* add(sql, kind, insert, organization, key, now), note)
      }),
    async list(organization) {
      return (await read((sql) => sql.all<Row>(list, [organization]))).map(plain)
    },
    find: (organization, key) => read((sql) => written(sql, find, [organization, key])),
    async active(now, organization) {
      const [statement, values] =
        organization === undefined ? [active.all, [now]] : [active.own, [now, organization]]
      return (await read((sql) => sql.all<Row>(statement, values))).map(plain)
    },
    revoke: (organization, key, now, note) =>
      change(organization, function* (sql) {
        const before = yield* written(sql, find, [organization, key])
        if (before === null || before.revokedAt !== null) return before
        sql.changed(topic)
        const revoked = yield* written(sql, revoke, [organization, key, now])
        return yield* noted(sql, revoked!, note)
      }),
    rotate: (organization, key, replacement, oldExpiresAt, now, note) =>
      change(organization, function* (sql) {
        const old = yield* written(sql, find, [organization, key])
        if (old === null) return null
        sql.changed(topic)
        sql.run(endBy, [organization, key, oldExpiresAt])
        const { name, scope, scenario, client, disclosee, waySince } = old
        const issued = { ...replacement, name, scope, scenario, client, waySince }
        return yield* noted(
          sql,
          yield* add(sql, kind, insert, organization, issued, now, disclosee),
          note,
        )
      }),
    update: (organization, key, settings, now, note) =>
      change(organization, function* (sql) {
        const before = yield* written(sql, find, [organization, key])
        if (before === null) return null
        sql.changed(topic)
        const after = { ...before, ...settings }
        const disclosee = yield* discloseeAfter(sql, organization, before, after, now)
        const values = [organization, key, packed(after.scope), disclosee]
        return yield* noted(sql, (yield* written(sql, patch, values))!, note, before)
      }),
    disclosees: (organization) => plainRows<KeptDisclosee>(tables, LIST_DISCLOSEES, [organization]),
    async all() {
      return (await read((sql) => sql.all<Row>(all, []))).map(plain)
    },
    async touch(uses) {
      await writeIfFree(function* ({ all, count }) {
        const ids = dialect.list(uses.map(({ key }) => key))
        const stored = yield* all<Pick<Row, 'id' | 'requests'>>(hold, [ids])
        const before = new Map(stored.map(({ id, requests }) => [id, countsIn(requests)]))
        const used = uses.map(({ organization, key, usedAt, requests }) => ({
          ...{ organization, key, used_at: usedAt },
          requests: JSON.stringify(requestsSum(before.get(key) ?? {}, requests)),
        }))
        yield* count(touch, [JSON.stringify(used)])
      })
    },
  }
}

export function linkStore(tables: Tables): LinkStore {
  const { read, write } = tables
  const { table } = LINKS
  const due = `SELECT DISTINCT organization FROM ${table} WHERE ${KEY_END} < $1`
  const remove = `DELETE FROM ${table} WHERE organization = $1 AND ${KEY_END} < $2`
  const firstKept = `
    SELECT ${KEY_END} AS ended FROM ${table} WHERE organization = $1 AND ${KEY_END} <= $2
    ORDER BY ${KEY_END} DESC LIMIT 1 OFFSET $3`
  const purge = (organization: number, before: number) =>
    write(({ count }) => count(remove, [organization, before]))
  return {
    ...keyStore(tables, LINKS),
    async purge(organizations, before) {
      const found = await read(({ all }) => all<{ organization: number }>(due, [before]))
      for (const { organization } of found) {
        if (organizations.has(organization)) await purge(organization, before)
      }
    },
    async trim(organization, now, kept) {
      const values = [organization, now, kept - 1]
      const first = await read(({ one }) => one<{ ended: number }>(firstKept, values))
      if (first !== undefined) await purge(organization, first.ended)
    },
  }
}

function* written(sql: Sql, statement: string, values: readonly Value[]): Work<Credential | null> {
  const row = yield* sql.one<Row>(statement, values)
  return row === undefined ? null : plain(row)
}

/** `disclosee`: that of the key. Left out: it gets one of its own. */
function* add(
  sql: Sql,
  { own }: KeyKind,
  insert: string,
  organization: number,
  key: NewKey,
  now: number,
  disclosee?: number,
): Work<Credential> {
  const {
    name,
    hash,
    prefix,
    lastFour,
    expiresAt,
    scope = null,
    scenario = null,
    client = null,
    waySince = null,
  } = key
  const values = [organization, name, hash, prefix, lastFour, now, expiresAt]
  const words = { recipient: key.recipient ?? null, purpose: key.purpose ?? null }
  const ofOwn: Record<OwnColumn, Value> = {
    ...{ scope: packed(scope), scenario, client, disclosee: disclosee ?? 0 },
    ...{ way_since: waySince, requests: null },
  }
  if (own.includes('disclosee') && disclosee === undefined) {
    ofOwn.disclosee = yield* addDisclosee(sql, organization, words, now)
  }
  return (yield* written(sql, insert, [...values, ...own.map((column) => ofOwn[column])]))!
}

/** A credential of a kind without disclosees has the one with the id 0, which does not exist. */
function ownColumns({ own }: KeyKind): string {
  const names = Object.keys(OWN) as OwnColumn[]
  const shown = names.map((name) => (own.includes(name) ? name : `${OWN[name]} AS ${name}`))
  const disclosee = own.includes('disclosee') ? 'disclosee' : OWN.disclosee
  return [...shown, discloseeColumns(disclosee)].join(', ')
}

function statements({ isIn, given, forUpdate }: Dialect, kind: KeyKind) {
  const { table, own } = kind
  const isCounted = own.includes('requests')
  const columns = `
    id, organization, name, hash, prefix, last_four AS "lastFour", created_at AS "createdAt",
    expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt",
    ${ownColumns(kind)}`
  const ofOne = 'WHERE organization = $1 AND id = $2'
  return {
    list: `SELECT ${columns} FROM ${table} WHERE organization = $1 ORDER BY id`,
    all: `SELECT ${columns} FROM ${table} ORDER BY id`,
    active: {
      all: `SELECT ${columns} FROM ${table} WHERE ${KEY_END} > $1 ORDER BY id`,
      own: `
        SELECT ${columns} FROM ${table} WHERE organization = $2 AND ${KEY_END} > $1 ORDER BY id`,
    },
    find: `SELECT ${columns} FROM ${table} ${ofOne}`,
    insert: `
      INSERT INTO ${table} (organization, name, hash, prefix, last_four, created_at, expires_at
        , ${own.join(', ')})
      VALUES ($1, $2, $3, $4, $5, $6, $7, ${own.map((_, at) => `$${at + 8}`).join(', ')})
      RETURNING ${columns}`,
    revoke: `UPDATE ${table} SET revoked_at = $3 ${ofOne} RETURNING ${columns}`,
    endBy: `
      UPDATE ${table} SET expires_at = CASE WHEN expires_at < $3 THEN expires_at ELSE $3 END
      ${ofOne}`,
    patch: `UPDATE api_keys SET scope = $3, disclosee = $4 ${ofOne} RETURNING ${columns}`,
    // Ordered by id, so that two processes never wait for each other.
    hold: `SELECT id, ${isCounted ? 'requests' : `${OWN.requests} AS requests`} FROM ${table} WHERE ${isIn('id', '$1')} ORDER BY id ${forUpdate}`,
    touch: `
      UPDATE ${table}
      SET last_used_at = CASE WHEN last_used_at > used_at THEN last_used_at ELSE used_at END
        ${isCounted ? ', requests = given.requests' : ''}
      FROM ${given('$1', USE)}
      WHERE ${table}.organization = given.organization AND id = given.key`,
  }
}

const USE = { organization: 'bigint', key: 'bigint', used_at: 'bigint', requests: 'text' } as const

type Row = Omit<Credential, 'scope' | 'requests' | 'waySince'> & {
  way_since: number | null
  scope: string | null
  requests: string | null
}

/** A row of SQLite is not an ordinary object: a copy of it would be as large and as slow to read. */
function plain(row: Row): Credential {
  const { id, organization, name, hash, prefix, lastFour } = row
  const { createdAt, expiresAt, revokedAt, lastUsedAt, scenario, client } = row
  const { recipient, purpose, disclosee, requests } = row
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
    scope: row.scope === null ? null : JSON.parse(row.scope),
    waySince: row.way_since,
    scenario,
    client,
    recipient,
    purpose,
    disclosee,
    requests: countsIn(requests),
  }
}

function countsIn(requests: string | null): RequestsByDay {
  return requests === null ? {} : JSON.parse(requests)
}

function packed(scope: KeyScope | null): string | null {
  return scope === null ? null : JSON.stringify(scope)
}
