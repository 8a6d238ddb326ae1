import { PLACE_TOPICS } from '../../base/domain/item-rules.ts'
import type { PlaceRoom } from '../../base/domain/limits.ts'
import { type ItemKind, KINDS } from '../tables/item-columns.ts'
import type { ItemParts } from '../tables/item-tables.ts'
import type { Purges } from '../tables/purge.ts'
import type { Dialect } from '../tables/sql.ts'

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
