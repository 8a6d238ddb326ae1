import type { PlaceRoom } from '../../base/domain/limits.ts'
import type { ItemKind } from '../tables/item-columns.ts'
import type { ItemParts } from '../tables/item-tables.ts'
import type { Purges } from '../tables/purge.ts'
import type { Dialect } from '../tables/sql.ts'

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
