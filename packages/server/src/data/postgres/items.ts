import { takeTurn } from '../../base/domain/common/slots.ts'
import { runAtOnce, type Steps } from '../../base/domain/common/steps.ts'
import { PLACE_TOPICS } from '../../base/domain/items.ts'
import type { PlaceRoom } from '../../base/domain/limits.ts'
import type { ItemStore, TextsOf } from '../../engine/store/item-store.ts'
import type { ItemParts } from '../tables/items.ts'
import { type ItemKind, type ItemOf, itemForm, itemsOf, KINDS } from '../tables/kinds.ts'
import type { Purges } from '../tables/purge.ts'
import { type Dialect, everyItem } from '../tables/sql.ts'
import { type Statement, statement } from './connection/connections.ts'
import type { Database } from './connection/database.ts'

/** The statements that read one kind of catalogue item of an organization ($1), and its rows as items. */
export type ItemRows<Settings> = {
  /** The items with the ids $2, and the first $3 ones with ids above $2, by id. */
  listed: Statement
  after: Statement
  itemAtOnce(row: object): ItemOf<Settings>
  item(row: object): Steps<ItemOf<Settings>>
}

export function itemRows<Settings extends object>(kind: ItemKind<Settings>): ItemRows<Settings> {
  const { columns, item } = itemForm(kind)
  const select = `SELECT ${columns} FROM ${kind.table} WHERE organization = $1`
  return {
    listed: statement(`${select} AND id = ANY($2::int8[]) ORDER BY id`),
    after: statement(`${select} AND id > $2 ORDER BY id LIMIT $3`),
    itemAtOnce: (row) => runAtOnce(item(row)),
    item,
  }
}

/** Items that one statement reads: a million take longer than a statement may, and more at once hold up others. */
const SLICE = 2_000

/** Reads all items of an organization. */
export function itemReader<Settings extends object>(
  database: Database,
  kind: ItemKind<Settings>,
): Pick<ItemStore<ItemOf<Settings>, Settings>, 'list' | 'pages'> {
  const rows = itemRows(kind)

  /** The columns of a row are an item's fields, and its JSON columns are texts. */
  async function* pages(organization: number): AsyncGenerator<TextsOf<ItemOf<Settings>>[]> {
    for (let after = 0; ; ) {
      const page = await database.query<TextsOf<ItemOf<Settings>>>(rows.after, [
        organization,
        after,
        SLICE,
      ])
      if (page.length > 0) yield page
      if (page.length < SLICE) return
      after = page.at(-1)!.id as number
      await takeTurn()
    }
  }

  async function* itemPages(organization: number): AsyncGenerator<ItemOf<Settings>[]> {
    for await (const page of pages(organization)) yield await itemsOf(rows, page)
  }

  return { pages, list: (organization) => everyItem(itemPages(organization)) }
}

/** Fails if another organization was faster. The transaction then runs again. */
const CLAIM = 'INSERT INTO ids (kind, id, organization) VALUES ($1, $2, $3)'
const RELEASE = 'DELETE FROM ids WHERE kind = $1 AND id = $2'
const PURGE_LATER = 'INSERT INTO purges (organization, object) VALUES ($1, $2)'
const UNMARK = 'DELETE FROM refolds WHERE organization = $1 AND object = $2'

const MAX_OBJECTS = 'SELECT max_objects AS max FROM organizations WHERE id = $1'
const COUNT_OBJECTS = 'SELECT count(*)::int AS count FROM objects WHERE organization = $1'
const LIMITS = `
  SELECT max_places AS "maxPlaces", max_vertices AS "maxVertices" FROM organizations WHERE id = $1`
const COUNTS = PLACE_TOPICS.map((table) => {
  const isDrawn = KINDS[table].verticesOf !== undefined
  const vertices = isDrawn ? 'coalesce(sum(vertices), 0)::int' : '0'
  return `SELECT count(*)::int AS places, ${vertices} AS vertices FROM ${table} WHERE organization = $1`
})

type Counts = Pick<PlaceRoom, 'places' | 'vertices'>

export function itemParts(
  { isIn, list }: Dialect,
  purge: Purges['purge'],
  kind: ItemKind<object>['table'],
): ItemParts {
  const taken = `SELECT id FROM ids WHERE kind = $1 AND ${isIn('id', '$2')}`
  const next = `SELECT nextval('${kind}_id') AS id FROM generate_series(1, $1::int)`
  // Marks the ids up to $1 as used.
  const skip = `SELECT setval('${kind}_id', $1) FROM ${kind}_id WHERE NOT is_called OR last_value < $1`
  return {
    *free({ all }, ids) {
      if (ids.length === 0) return new Set()
      const rows = yield* all<{ id: number }>(taken, [kind, list(ids)])
      return new Set(ids).difference(new Set(rows.map(({ id }) => id)))
    },
    *next({ all }, count) {
      if (count === 0) return []
      return (yield* all<{ id: number }>(next, [count])).map(({ id }) => id)
    },
    claim({ organization, run }, id, isGiven) {
      run(CLAIM, [kind, id, organization])
      if (isGiven) run(skip, [id])
    },
    release({ organization, run, changed }, id) {
      if (kind !== 'objects') {
        run(RELEASE, [kind, id])
        return
      }
      run(PURGE_LATER, [organization, id])
      run(UNMARK, [organization, id])
      changed('states')
    },
    *freeObjects({ organization, one }) {
      const { max } = (yield* one<{ max: number }>(MAX_OBJECTS, [organization]))!
      const { count } = (yield* one<{ count: number }>(COUNT_OBJECTS, [organization]))!
      return Math.max(0, max - count)
    },
    *placeRoom({ organization, one }) {
      type Limits = Pick<PlaceRoom, 'maxPlaces' | 'maxVertices'>
      const room = { ...(yield* one<Limits>(LIMITS, [organization]))!, places: 0, vertices: 0 }
      for (const count of COUNTS) {
        const { places, vertices } = (yield* one<Counts>(count, [organization]))!
        room.places += places
        room.vertices += vertices
      }
      return room
    },
    purge,
  }
}
