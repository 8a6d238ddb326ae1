import type { AuditEntry, NewAuditEntry } from '../../base/domain/audit-entry.ts'
import { takeTurn } from '../../base/domain/common/slots.ts'
import type { UsageCount } from '../../base/domain/credential.ts'
import type { Disclosure, DisclosureTotal } from '../../base/domain/disclosure.ts'
import type {
  AuditStore,
  DisclosureQuery,
  DisclosureStore,
  Note,
  ReaderTotal,
  UsageStore,
} from '../../engine/store/audit-store.ts'
import { atHand, type Work } from '../../engine/tracking/work.ts'
import { type ColumnKind, type Dialect, plainRows, type Sql, type Tables } from './sql.ts'

const COLUMNS = 'id, at, actor, action, organization, target, name, changes'
const ADD = `
  INSERT INTO audit_log (at, actor, action, organization, target, name, changes)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  RETURNING id`
const CHANGE = 'UPDATE audit_log SET changes = $2 WHERE id = $1'
const OF_ALL = `SELECT ${COLUMNS} FROM audit_log WHERE id < $1 ORDER BY id DESC LIMIT $2`
/** The entries of organization $3. */
export const ENTRIES_OF_ONE = `
  SELECT ${COLUMNS} FROM audit_log WHERE organization = $3 AND id < $1 ORDER BY id DESC LIMIT $2`

/** Adds the entries of a note in the transaction of the write, and returns the result of the write. */
export function* noted<Result, Before>(
  { one, run }: Sql,
  result: Result,
  note: Note<Result, Before> | undefined,
  before?: Before,
): Work<Result> {
  for (const entry of note?.(result, before!) ?? []) {
    if (entry.id !== undefined) run(CHANGE, [entry.id, packed(entry.changes)])
    else entry.id = (yield* one<{ id: number }>(ADD, valuesOf(entry)))!.id
  }
  return result
}

export function auditStore({ read, write }: Tables): AuditStore {
  return {
    async add(entry) {
      await write(({ one }) => one(ADD, valuesOf(entry)))
    },
    async list({ organization, before, limit }) {
      const page = [before ?? Number.MAX_SAFE_INTEGER, limit]
      const rows = await read(({ all }) =>
        organization === null
          ? all<Row>(OF_ALL, page)
          : all<Row>(ENTRIES_OF_ONE, [...page, organization]),
      )
      return rows.map(entryOf)
    },
  }
}

function valuesOf({ at, actor, action, organization, target, name, changes }: NewAuditEntry) {
  return [at, actor, action, organization, target, name, packed(changes)]
}

function packed(changes: AuditEntry['changes']): string | null {
  return changes === null ? null : JSON.stringify(changes)
}

type Row = Omit<AuditEntry, 'changes'> & { changes: string | null }

function entryOf({ changes, ...rest }: Row): AuditEntry {
  return { ...rest, changes: changes === null ? null : JSON.parse(changes) }
}

/** Rows deleted in one transaction: some milliseconds. */
const SLICE_ROWS = 5_000
/** Organizations whose old rows one transaction deletes. */
const MAX_ORGANIZATIONS = 100

/** A table of sums by organization and day. */
type CountTable = {
  name: string
  /** The columns of the key after the organization. */
  key: Readonly<Record<string, ColumnKind>>
  sums: readonly string[]
}

const USAGE: CountTable = {
  name: 'usage',
  key: { day: 'bigint', key: 'bigint', operation: 'text', status: 'bigint' },
  sums: ['requests'],
}
const DISCLOSURES: CountTable = {
  name: 'disclosures',
  key: {
    ...{ day: 'bigint', source: 'text', reader: 'bigint' },
    ...{ object: 'bigint', disclosee: 'bigint', data: 'text' },
  },
  sums: ['requests', 'rows'],
}

export function usageStore(tables: Tables): UsageStore {
  const { owners } = tables.dialect
  const { columns, purge, ...counts } = countStore<UsageCount>(tables, USAGE)
  const list = `
    SELECT ${columns} FROM usage
    WHERE organization = $1 AND day BETWEEN $2 AND $3 AND key = coalesce($4, key)
    ORDER BY day, key, operation, status`
  // Starts from the organizations, because the rows of a day are adjacent only within each.
  const ofDay = `
    SELECT usage.organization, status, CAST(sum(requests) AS bigint) AS requests
    FROM ${owners.table} CROSS JOIN usage WHERE usage.organization = ${owners.id} AND day = $1
    GROUP BY usage.organization, status ORDER BY usage.organization, status`

  return {
    ...counts,
    list: (organization, from, to, key) =>
      plainRows<UsageCount>(tables, list, [organization, from, to, key ?? null]),
    purge: (before) => purge(before, () => true),
    async byOrganization(day) {
      const totals = new Map<number, Map<number, number>>()
      for (const row of await tables.read(({ all }) => all<UsageCount>(ofDay, [day]))) {
        const { organization, status, requests } = row
        const byStatus = totals.get(organization) ?? new Map<number, number>()
        totals.set(organization, byStatus.set(status, requests))
      }
      return totals
    },
  }
}

export function disclosureStore(tables: Tables): DisclosureStore {
  const { dialect } = tables
  const { columns, purge, ...counts } = countStore<Disclosure>(tables, DISCLOSURES)
  const chosen = `
    organization = $1 AND day BETWEEN $2 AND $3
      AND source = coalesce($4, source) AND reader = coalesce($5, reader)
      AND object = coalesce($6, object) AND ($7 = 0 OR ${dialect.isIn('disclosee', '$8')})`
  const place = 'source, reader, object, disclosee, data'
  const list = `
    SELECT ${columns} FROM disclosures
    WHERE ${chosen} AND (day, ${place}) > ($9, $10, $11, $12, $13, $14)
    ORDER BY day, ${place} LIMIT $15`
  const totals = `
    SELECT ${place}, min(day) AS first, max(day) AS last,
      CAST(sum(requests) AS bigint) AS requests, CAST(sum(rows) AS bigint) AS rows
    FROM disclosures WHERE ${chosen}
    GROUP BY ${place} ORDER BY ${place}`
  const readers = `
    SELECT source, reader, max(day) AS last,
      CAST(sum(requests) AS bigint) AS requests, CAST(sum(rows) AS bigint) AS rows
    FROM disclosures WHERE organization = $1 AND day BETWEEN $2 AND $3
    GROUP BY source, reader ORDER BY source, reader`

  const valuesOf = (organization: number, query: DisclosureQuery) => {
    const { from, to, source = null, reader = null, object = null, disclosees } = query
    const chosen = [disclosees === undefined ? 0 : 1, dialect.list(disclosees ?? [])]
    return [organization, from, to, source, reader, object, ...chosen]
  }

  return {
    ...counts,
    list(organization, query, after, limit) {
      const { day, source, reader, object, disclosee, data } = after ?? FIRST
      const place = [day, source, reader, object, disclosee, data]
      const values = [...valuesOf(organization, query), ...place, limit]
      return plainRows<Disclosure>(tables, list, values)
    },
    totals: (organization, query) =>
      plainRows<DisclosureTotal>(tables, totals, valuesOf(organization, query)),
    readers: (organization, from, to) =>
      plainRows<ReaderTotal>(tables, readers, [organization, from, to]),
    purge: (organizations, before) => purge(before, (id) => organizations.has(id)),
  }
}

/** Before all counts. */
const FIRST = { day: 0, source: '', reader: 0, object: 0, disclosee: 0, data: '' }

function countStore<Count extends { organization: number }>(
  { dialect, read, write }: Tables,
  { name, key, sums }: CountTable,
) {
  const { owners } = dialect
  const keyColumns = Object.keys(key).join(', ')
  const add = additionTo(dialect, { name, key, sums })
  // A deletion locks the organization before its rows. All writers use the same order, so nobody waits in a circle.
  const hold = `
    SELECT id FROM organizations WHERE ${dialect.isIn('id', '$1')} ORDER BY id ${dialect.forKeyShare}`
  const due = `
    SELECT ${owners.id} AS id FROM ${owners.table}
    WHERE EXISTS (SELECT 1 FROM ${name} WHERE organization = ${owners.id} AND day < $1)
    ORDER BY id`
  const remove = `
    DELETE FROM ${name} WHERE organization = $1 AND (${keyColumns}) IN (
      SELECT ${keyColumns} FROM ${name} WHERE organization = $1 AND day < $2 LIMIT $3
    )`

  /**
   * A lock of an organization is one on all servers of a Citus cluster. There the foreign key fails, and this runs
   * again.
   */
  function addition({ run }: Sql, counts: readonly Count[]): Work<void> {
    const byOrganization = Map.groupBy(counts, ({ organization }) => organization)
    const ordered = [...byOrganization].sort(([one], [other]) => one - other)
    if (!dialect.isDistributed) {
      run(hold, [dialect.list(ordered.map(([id]) => id))])
      run(add, [JSON.stringify(counts)])
    } else {
      for (const [id, mine] of ordered) run(add, [JSON.stringify(mine), id])
    }
    return atHand(undefined)
  }

  /** Removes rows of the first organizations. Returns how many of these have none any more. */
  function* removal(
    { count }: Sql,
    organizations: readonly number[],
    before: number,
  ): Work<number> {
    let room = SLICE_ROWS
    for (const [done, organization] of organizations.slice(0, MAX_ORGANIZATIONS).entries()) {
      room -= yield* count(remove, [organization, before, room])
      if (room === 0) return done
    }
    return Math.min(organizations.length, MAX_ORGANIZATIONS)
  }

  return {
    columns: `organization, ${keyColumns}, ${sums.join(', ')}`,
    addSize: dialect.rowsAtOnce,
    add: (counts: readonly Count[]) => write((sql) => addition(sql, counts)),
    async purge(before: number, isMeant: (organization: number) => boolean) {
      const found = await read(({ all }) => all<{ id: number }>(due, [before]))
      let organizations = found.map(({ id }) => id).filter(isMeant)
      while (organizations.length > 0) {
        organizations = organizations.slice(
          await write((sql) => removal(sql, organizations, before)),
        )
        await takeTurn()
      }
    },
  }
}

/** Adds the rows $1, in a distributed database those of organization $2. Leaves out those of deleted organizations. */
function additionTo(
  { owners, isDistributed, given }: Dialect,
  { name, key, sums }: CountTable,
): string {
  const kinds = { organization: 'bigint', ...key } as const
  const sumKinds = Object.fromEntries(sums.map((sum) => [sum, 'bigint'] as const))
  const columns = Object.keys(kinds)
  const places = columns.map((_, index) => index + 1).join(', ')
  return `
    INSERT INTO ${name} (${columns.join(', ')}, ${sums.join(', ')})
    SELECT ${owners.id}, ${Object.keys(key).join(', ')}, ${sums.map((sum) => `sum(${sum})`).join(', ')}
    FROM ${given('$1', { ...kinds, ...sumKinds })} CROSS JOIN ${owners.table}
    WHERE ${owners.id} = given.organization ${isDistributed ? `AND ${owners.id} = $2` : ''}
    GROUP BY ${places} ORDER BY ${places}
    ON CONFLICT (${columns.join(', ')})
      DO UPDATE SET ${sums.map((sum) => `${sum} = ${name}.${sum} + excluded.${sum}`).join(', ')}`
}
