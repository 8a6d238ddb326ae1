import { runInTurns } from '../../../domain/turn.ts'
import { NO_ENTRIES } from '../../change-entries.ts'
import { everyItem } from '../../in-slices.ts'
import { type ItemRoom, mayExceed, roomForObjects, roomForPlaces } from '../../item-room.ts'
import { writeLongTexts } from '../../json-texts.ts'
import { type ItemKind, type ItemOf, isSame, writtenColumns } from '../../kinds.ts'
import type { ItemEntry, ItemStore, PutOutcome, TextsOf } from '../../store.ts'
import type { Noted } from '../audit.ts'
import type { TopicChanges } from '../changes.ts'
import type { Database } from '../database/database.ts'
import { purge } from '../positions/purge.ts'
import { itemPages, itemRows, rowPages } from './item-rows.ts'
import { freeObjects } from './object-limits.ts'
import { placeRoom } from './place-room.ts'

const BEFORE_FIRST = -1
/** Above this, later ids could exceed the safe integers. */
const LARGEST_GIVEN_ID = 2 ** 52

export function itemStore<Settings extends object>(
  database: Database,
  changes: TopicChanges,
  noted: Noted,
  kind: ItemKind<Settings>,
): ItemStore<ItemOf<Settings>, Settings> {
  const { reader, writer } = database
  const { table, matchedBy } = kind
  const columns = writtenColumns(kind)
  const shown = itemRows(reader, kind)
  const rows = itemRows(writer, kind)

  const named = reader.prepare(
    `SELECT id FROM ${table} WHERE organization = ? AND ${matchedBy} = ? ORDER BY id`,
  )
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

  const readRoom = roomReader()

  function roomReader(): (organization: number) => ItemRoom<Settings> {
    if (table !== 'objects') {
      const roomOf = placeRoom(writer)
      return (organization) => roomForPlaces(kind, roomOf(organization))
    }
    const freeOf = freeObjects(writer)
    return (organization) => roomForObjects(freeOf(organization))
  }

  /** The room of a transaction, read when something may exceed it. */
  function roomIn(organization: number): ItemRoom<Settings> {
    let room: ItemRoom<Settings> | undefined
    return (before, after) => {
      if (!mayExceed(kind, before)) return undefined
      room ??= readRoom(organization)
      return room(before, after)
    }
  }

  function create(organization: number, entry: ItemEntry<Settings>, now: number): PutOutcome {
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

  function replace(
    existing: ItemOf<Settings>,
    settings: Settings,
    now: number,
    takeRoom: ItemRoom<Settings>,
  ): PutOutcome {
    const { id, organization } = existing
    if (matchedBy === 'ident') {
      const holder = matchOf(organization, settings)
      if (holder !== null && holder !== id) return { outcome: 'ident_taken' }
    }
    if (isSame(kind, rows.values(existing), rows.values(settings))) {
      return { outcome: 'unchanged', id }
    }
    const limit = takeRoom(existing, settings)
    if (limit !== undefined) return limit
    change.run(now, ...rows.values(settings), id)
    return { outcome: 'updated', id }
  }

  function putOne(
    organization: number,
    entry: ItemEntry<Settings>,
    now: number,
    takeRoom: ItemRoom<Settings>,
  ): PutOutcome {
    const byId = entry.id === undefined ? null : rows.find(organization, entry.id)
    const id = byId === null ? matchOf(organization, entry) : null
    const existing = byId ?? (id === null ? null : rows.find(organization, id))
    if (existing !== null) return replace(existing, entry, now, takeRoom)
    return takeRoom(null, entry) ?? create(organization, entry, now)
  }

  function noteChanged(organization: number, ids: readonly number[]): void {
    if (ids.length === 0) return
    changes.record(organization, [table])
    const items = ids.map((id) => ({ topic: table, id, isDeleted: false }))
    changes.log(organization, { ...NO_ENTRIES, items })
  }

  async function* pages(organization: number): AsyncGenerator<TextsOf<ItemOf<Settings>>[]> {
    const all = rowPages(shown, database.read, organization, BEFORE_FIRST, Infinity)
    for await (const page of all) yield page.map(shown.texts)
  }

  return {
    pages,
    list: (organization) =>
      everyItem(itemPages(shown, database.read, organization, BEFORE_FIRST, Infinity)),
    async find(organization, id) {
      const row = database.read(() => shown.row(organization, id))
      return row === undefined ? null : runInTurns(shown.item(row))
    },
    async named(organization, name) {
      return database.read(() => named.all(organization, name).map(({ id }) => id as number))
    },
    async put(organization, entries, now, note) {
      await writeLongTexts(kind, entries)
      return database.write(() => {
        const takeRoom = roomIn(organization)
        const outcomes = entries.map((entry) => putOne(organization, entry, now, takeRoom))
        noteChanged(organization, changedIds(outcomes))
        return noted(outcomes, note)
      })
    },
    async update(organization, id, patch, now, note) {
      await writeLongTexts(kind, [patch])
      return database.write(() => {
        const existing = rows.find(organization, id)
        if (existing === null) return null
        const given = Object.entries(patch).filter(([, value]) => value !== undefined)
        const wanted = { ...existing, ...Object.fromEntries(given) }
        const put = replace(existing, wanted, now, roomIn(organization))
        if (put.outcome === 'ident_taken') return put.outcome
        if ('max' in put) return put
        if (put.outcome !== 'updated') return existing
        noteChanged(organization, [id])
        return noted({ ...wanted, updatedAt: now }, note, existing)
      })
    },
    async delete(organization, id, note) {
      const deleted = await database.write(() => {
        if (remove.run(organization, id).changes === 0) return false
        changes.log(organization, {
          ...NO_ENTRIES,
          items: [{ topic: table, id, isDeleted: true }],
        })
        if (table !== 'objects') {
          changes.record(organization, [table])
          return noted(true, note)
        }
        purgeLater.run(organization, id)
        changes.record(organization, [table, 'states'])
        return noted(true, note)
      })
      if (deleted && table === 'objects') await purge(database)
      return deleted
    },
  }
}

/** The distinct ids of the created and updated items, ascending. */
export function changedIds(outcomes: readonly PutOutcome[]): number[] {
  const ids = outcomes.flatMap((put) =>
    put.outcome === 'created' || put.outcome === 'updated' ? put.id : [],
  )
  return [...new Set(ids)].sort((a, b) => a - b)
}
