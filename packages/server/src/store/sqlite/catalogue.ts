import { type ItemOf, isSame, type Kind } from '../kinds.ts'
import type { CatalogueEntry, CatalogueStore, PutOutcome } from '../store.ts'
import type { ChangeLog } from './changes.ts'
import type { Database } from './database.ts'
import { itemRows } from './item-rows.ts'
import { freeObjects } from './object-limits.ts'
import { purge } from './purge.ts'

/** Above this, later ids could exceed the safe integers. */
const LARGEST_GIVEN_ID = 2 ** 52

export function catalogueStore<Settings extends object>(
  database: Database,
  changes: ChangeLog,
  kind: Kind<Settings>,
): CatalogueStore<ItemOf<Settings>, Settings> {
  const { reader, writer } = database
  const { table, matchedBy } = kind
  const columns = Object.values(kind.columns)
  const shown = itemRows(reader, kind)
  const rows = itemRows(writer, kind)

  const matching = writer.prepare(
    `SELECT min(id) AS id FROM ${table} WHERE organization = ? AND ${matchedBy} = ?`,
  )
  const taken = writer.prepare(
    `SELECT EXISTS (SELECT 1 FROM ${table} WHERE id = ?1)
      ${table === 'objects' ? 'OR EXISTS (SELECT 1 FROM purges WHERE object = ?1)' : ''} AS taken`,
  )
  const insert = writer.prepare(`
    INSERT INTO ${table} (id, organization, created_at, updated_at, ${columns.join(', ')})
    VALUES (?, ?, ?, ?, ${columns.map(() => '?').join(', ')})
  `)
  const change = writer.prepare(`
    UPDATE ${table} SET updated_at = ?, ${columns.map((column) => `${column} = ?`).join(', ')}
    WHERE id = ?
  `)
  const purgeLater = writer.prepare('INSERT INTO purges (organization, object) VALUES (?, ?)')
  const remove = writer.prepare(`DELETE FROM ${table} WHERE organization = ? AND id = ?`)

  function matchOf(organization: number, settings: Settings): number | null {
    const value = settings[matchedBy as keyof Settings] as string
    return (matching.get(organization, value) as { id: number | null }).id
  }

  /** How many more there may be of this kind. */
  const freeOf = table === 'objects' ? freeObjects(writer) : () => Infinity

  function create(organization: number, entry: CatalogueEntry<Settings>, now: number): PutOutcome {
    const id = entry.id !== undefined && isFree(entry.id) ? entry.id : null
    const { lastInsertRowid } = insert.run(id, organization, now, now, ...rows.values(entry))
    return { outcome: 'created', id: Number(lastInsertRowid) }
  }

  function isFree(id: number): boolean {
    if (!Number.isSafeInteger(id) || id < 1 || id > LARGEST_GIVEN_ID) {
      throw new RangeError(`an id must be a whole number from 1 to ${LARGEST_GIVEN_ID}, not ${id}`)
    }
    return (taken.get(id) as { taken: number }).taken === 0
  }

  function replace(standing: ItemOf<Settings>, settings: Settings, now: number): PutOutcome {
    const { id, organization } = standing
    if (matchedBy === 'ident') {
      const holder = matchOf(organization, settings)
      if (holder !== null && holder !== id) return { outcome: 'ident_taken' }
    }
    if (isSame(kind, rows.values(standing), rows.values(settings))) {
      return { outcome: 'unchanged', id }
    }
    change.run(now, ...rows.values(settings), id)
    return { outcome: 'updated', id }
  }

  function putOne(
    organization: number,
    entry: CatalogueEntry<Settings>,
    now: number,
    takePlace: () => boolean,
  ): PutOutcome {
    const byId = entry.id === undefined ? null : rows.find(organization, entry.id)
    const id = byId === null ? matchOf(organization, entry) : null
    const standing = byId ?? (id === null ? null : rows.find(organization, id))
    if (standing !== null) return replace(standing, entry, now)
    return takePlace() ? create(organization, entry, now) : { outcome: 'limit_of_objects' }
  }

  return {
    async list(organization) {
      return database.read(() => shown.list(organization))
    },
    async find(organization, id) {
      return database.read(() => shown.find(organization, id))
    },
    put: (organization, entries, now) =>
      database.write(() => {
        let free: number | undefined
        const takePlace = () => {
          free ??= freeOf(organization)
          free -= 1
          return free >= 0
        }
        const outcomes = entries.map((entry) => putOne(organization, entry, now, takePlace))
        const changed = outcomes.some(
          ({ outcome }) => outcome === 'created' || outcome === 'updated',
        )
        if (changed) changes.record(organization, table)
        return outcomes
      }),
    update: (organization, id, patch, now) =>
      database.write(() => {
        const standing = rows.find(organization, id)
        if (standing === null) return null
        const given = Object.entries(patch).filter(([, value]) => value !== undefined)
        const wanted = { ...standing, ...Object.fromEntries(given) }
        const { outcome } = replace(standing, wanted, now)
        if (outcome === 'ident_taken') return outcome
        if (outcome === 'updated') changes.record(organization, table)
        return rows.find(organization, id)
      }),
    async delete(organization, id) {
      const deleted = await database.write(() => {
        if (remove.run(organization, id).changes === 0) return false
        if (table !== 'objects') {
          changes.record(organization, table)
          return true
        }
        purgeLater.run(organization, id)
        changes.record(organization, table, 'states')
        return true
      })
      if (deleted && table === 'objects') await purge(database)
      return deleted
    },
  }
}
