import { takeTurn } from '../../domain/common/turn.ts'
import { keyOf } from '../../domain/record.ts'
import type { Work } from '../../tracking/work.ts'
import { AT_FIRST } from '../record-rows.ts'
import type { OwnedRecord, RecordPlace, RecordStore } from '../record-store.ts'
import { objectsAfter } from './objects-after.ts'
import type { Overlapping } from './overlapping.ts'
import { placesText } from './record-reads.ts'
import type { Dialect, Sql, Tables } from './sql.ts'

/** `RecordStore.page`, through a `read`. */
export type RecordPages = (
  read: Tables['read'],
  ...asked: Parameters<RecordStore['page']>
) => Promise<OwnedRecord[]>

/** Objects that are read together. */
const SLICE_OBJECTS = 50

/** Reads pages of records, object by object. Others run in between. */
export function recordPages(dialect: Dialect, overlapping: Overlapping): RecordPages {
  const visitors = visitorsOf(dialect)

  /** At most `limit` existing objects with ids above `after`, ascending: all, or those with visits to places. */
  function* nextObjects(
    sql: Sql,
    organization: number,
    places: string | null,
    after: number,
    limit: number,
  ): Work<number[]> {
    if (places === null) return yield* objectsAfter(sql, organization, after, limit)
    const rows = yield* sql.all<{ id: number }>(visitors, [organization, after, limit, places])
    return rows.map(({ id }) => id)
  }

  return async (read, organization, query) => {
    const { objects, limit, minDuration } = query
    const places = query.places === null ? null : placesText(query.places)
    const found: OwnedRecord[] = []
    let place: RecordPlace = query.after ?? { object: 0, ...AT_FIRST }
    for (let first = place.object - 1; found.length < limit; await takeTurn()) {
      const slice =
        objects === null
          ? await read((sql) => nextObjects(sql, organization, places, first, SLICE_OBJECTS))
          : objects.filter((each) => each > first).slice(0, SLICE_OBJECTS)
      if (slice.length === 0) break
      const asked = limit - found.length
      const wanted = { ...query, after: place, limit: asked }
      const records = await overlapping(read, organization, slice, wanted)
      for (const each of records) if (isAsLongAs(each, minDuration)) found.push(each)
      const last = records.at(-1)
      if (last !== undefined && records.length === asked) {
        place = { object: last.object, ...keyOf(last.record) }
        first = last.object - 1
        continue
      }
      first = slice.at(-1)!
      place = { object: first + 1, ...AT_FIRST }
    }
    return found
  }
}

export function isAsLongAs(
  { record: { start, until } }: OwnedRecord,
  minDuration: number,
): boolean {
  return until - start >= minDuration
}

/** The first object after each one is found by the index, so that its other visits are not read. */
function visitorsOf({ given }: Dialect): string {
  const firstAfter = (after: string) => `(
    SELECT min((
      SELECT object FROM records
      WHERE organization = $1 AND records.kind = given.kind AND records.place = given.place
        AND records.place > 0 AND object > ${after}
      ORDER BY object LIMIT 1
    )) FROM ${given('$4', { kind: 'bigint', place: 'bigint' })}
  )`
  return `
    WITH RECURSIVE visitors (id) AS (
      SELECT ${firstAfter('$2')}
      UNION ALL
      SELECT ${firstAfter('visitors.id')} FROM visitors WHERE visitors.id IS NOT NULL
    )
    SELECT id FROM visitors
    WHERE EXISTS (
      SELECT 1 FROM objects WHERE objects.organization = $1 AND objects.id = visitors.id
    )
    LIMIT $3`
}
