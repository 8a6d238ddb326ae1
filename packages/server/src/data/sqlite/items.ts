import type { DatabaseSync } from 'node:sqlite'
import { takeTurn } from '../../base/domain/common/slots.ts'
import { runAtOnce } from '../../base/domain/common/steps.ts'
import type { PlaceRoom } from '../../base/domain/limits.ts'
import type { ItemStore, TextsOf } from '../../engine/store/item-store.ts'
import type { ItemParts } from '../tables/items.ts'
import { type ItemForm, type ItemKind, type ItemOf, itemForm, itemsOf } from '../tables/kinds.ts'
import type { Purges } from '../tables/purge.ts'
import { type Dialect, everyItem } from '../tables/sql.ts'
import { type Database, fixedPlan } from './database/database.ts'

/** Reads the rows of a kind as items over one connection. */
export type ItemRows<Settings> = Pick<ItemForm<Settings>, 'texts' | 'item'> & {
  find(organization: number, id: number): ItemOf<Settings> | null
  /** The rows of those of the ids that exist, by id. */
  listed(organization: number, ids: readonly number[]): object[]
  /** The row of an item. */
  row(organization: number, id: number): object | undefined
  /** The ids above `after`, ascending, at most `limit`. */
  idsAfter(organization: number, after: number, limit: number): number[]
  /** How long the JSON of a row is. */
  charactersOf(row: object): number
}

/** Some milliseconds. */
const PAGE_ROWS = 1_000
/** Characters of JSON that are read at once: 1 ms. */
const MAX_CHARACTERS = 256 * 1024

export function itemRows<Settings extends object>(
  connection: DatabaseSync,
  kind: ItemKind<Settings>,
): ItemRows<Settings> {
  const { columns, json, texts, item } = itemForm(kind)
  const select = `SELECT ${columns} FROM ${kind.table} WHERE organization = ?`
  const find = connection.prepare(`${select} AND id = ?`)
  const listed = connection.prepare(
    `${select} AND id IN (SELECT value FROM json_each(?)) ORDER BY id`,
  )
  // The index by name has the ids, but not in their order: SQLite would sort whole rows.
  const idsAfter = connection.prepare(
    `SELECT id FROM ${kind.table} WHERE organization = ? AND id > ?
    ORDER BY id LIMIT ${fixedPlan('?')}`,
  )
  return {
    texts,
    item,
    find(organization, id) {
      const row = find.get(organization, id)
      return row === undefined ? null : runAtOnce(item(row))
    },
    listed: (organization, ids) => listed.all(organization, JSON.stringify(ids)),
    row: (organization, id) => find.get(organization, id),
    idsAfter: (organization, after, limit) =>
      idsAfter.all(organization, after, limit).map(({ id }) => id as number),
    charactersOf: (row) =>
      json.reduce((sum, each) => sum + (row as Record<string, string>)[each]!.length, 0),
  }
}

type RowsFrom = [
  read: <Result>(work: () => Result) => Result,
  organization: number,
  after: number,
  limit: number,
]

/** Rows by id, ascending, from the first id above `after` on, at most `limit`, some at a time. */
async function* rowPages<Settings extends object>(
  rows: Pick<ItemRows<Settings>, 'idsAfter' | 'row' | 'charactersOf'>,
  ...[read, organization, after, limit]: RowsFrom
): AsyncGenerator<object[]> {
  let [last, remaining] = [after, limit]
  let ids: number[] = []

  /** The rows of the next ids, and fewer if they are long. */
  function nextRows(): object[] {
    const page: object[] = []
    let characters = 0
    while (ids.length > 0 && characters < MAX_CHARACTERS) {
      const row = rows.row(organization, ids.shift()!)
      if (row === undefined) continue
      page.push(row)
      characters += rows.charactersOf(row)
    }
    return page
  }

  while (remaining > 0) {
    ids = read(() => rows.idsAfter(organization, last, Math.min(remaining, PAGE_ROWS)))
    if (ids.length === 0) return
    last = ids.at(-1)!
    remaining -= ids.length
    while (ids.length > 0) {
      const page = read(nextRows)
      if (page.length > 0) yield page
      await takeTurn()
    }
  }
}

/** As `rowPages`, of items. */
export async function* itemPages<Settings extends object>(
  rows: ItemRows<Settings>,
  ...from: RowsFrom
): AsyncGenerator<ItemOf<Settings>[]> {
  for await (const page of rowPages(rows, ...from)) yield await itemsOf(rows, page)
}

const BEFORE_FIRST = -1

/** Reads all items of an organization. */
export function itemReader<Settings extends object>(
  { reader, read }: Database,
  kind: ItemKind<Settings>,
): Pick<ItemStore<ItemOf<Settings>, Settings>, 'list' | 'pages'> {
  const rows = itemRows(reader, kind)

  async function* pages(organization: number): AsyncGenerator<TextsOf<ItemOf<Settings>>[]> {
    const all = rowPages(rows, read, organization, BEFORE_FIRST, Infinity)
    for await (const page of all) yield page.map(rows.texts)
  }

  return {
    pages,
    list: (organization) => everyItem(itemPages(rows, read, organization, BEFORE_FIRST, Infinity)),
  }
}

/** SQLite keeps the largest id of a table, also after its row was deleted. */
const LARGEST = 'SELECT seq FROM sqlite_sequence WHERE name = $1'
const PURGE_LATER = 'INSERT INTO purges (organization, object) VALUES ($1, $2)'
const FREE_OBJECTS = 'SELECT max_objects - object_count AS free FROM organizations WHERE id = $1'
const PLACE_ROOM = `
  SELECT max_places AS "maxPlaces", place_count AS places, max_vertices AS "maxVertices",
    vertex_count AS vertices
  FROM organizations WHERE id = $1`

export function itemParts(
  { isIn, list }: Dialect,
  purge: Purges['purge'],
  table: ItemKind<object>['table'],
): ItemParts {
  const isOfObjects = table === 'objects'
  const taken = `
    SELECT id FROM ${table} WHERE ${isIn('id', '$1')}
    ${isOfObjects ? `UNION ALL SELECT object FROM purges WHERE ${isIn('object', '$1')}` : ''}`
  return {
    *free({ all }, ids) {
      const rows = yield* all<{ id: number }>(taken, [list(ids)])
      return new Set(ids).difference(new Set(rows.map(({ id }) => id)))
    },
    *next({ one }, count) {
      const last = (yield* one<{ seq: number }>(LARGEST, [table]))?.seq ?? 0
      return Array.from({ length: count }, (_, index) => last + 1 + index)
    },
    claim() {},
    release({ organization, run, changed }, id) {
      if (!isOfObjects) return
      run(PURGE_LATER, [organization, id])
      changed('states')
    },
    *freeObjects({ organization, one }) {
      return Math.max(0, (yield* one<{ free: number }>(FREE_OBJECTS, [organization]))!.free)
    },
    *placeRoom({ organization, one }) {
      return { ...(yield* one<PlaceRoom>(PLACE_ROOM, [organization]))! }
    },
    purge,
  }
}
