import type { Work } from '../../../tracking/work.ts'
import { leftRows, longestVisitOf, rowOf } from '../../record-rows.ts'
import type { DerivedObject } from '../../record-store.ts'
import type { OrganizationSql } from '../../tables/sql.ts'
import { packTail } from '../../tail-form.ts'

const REMOVE = `
  DELETE FROM records
  WHERE organization = $1 AND kind = $2 AND object = $3 AND start_time = $4 AND place = $5`
const PUT = `
  INSERT INTO records VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  ON CONFLICT (organization, kind, object, start_time, place) DO UPDATE SET
    id = excluded.id, revision = excluded.revision,
    updated_at = excluded.updated_at, end_time = excluded.end_time,
    duration = excluded.duration, fields = excluded.fields, checkpoint = excluded.checkpoint`
/** `PUT` of a record whose end stays. It writes no index. */
const CHANGE = `
  UPDATE records SET revision = $7, updated_at = $8, duration = $10, fields = $11, checkpoint = $12
  WHERE organization = $1 AND kind = $2 AND object = $3 AND start_time = $4 AND place = $5
    AND id = $6 AND end_time IS $9`
const CHANGE_TAIL = `
  UPDATE record_tails SET progress = $3, longest_visit = max(longest_visit, $4)
  WHERE organization = $1 AND object = $2`
const ADD_TAIL = `
  INSERT INTO record_tails SELECT $1, $2, $3, $4
  WHERE EXISTS (SELECT 1 FROM objects WHERE organization = $1 AND id = $2)`
const REMOVE_TAIL = 'DELETE FROM record_tails WHERE organization = $1 AND object = $2'

/** Writes derived records row by row. */
export function* writeRecords(sql: OrganizationSql, objects: readonly DerivedObject[]): Work<void> {
  const { organization, run } = sql
  for (const derived of objects) {
    const { object } = derived
    for (const [kind, start, place] of leftRows(derived)) {
      run(REMOVE, [organization, kind, object, start, place])
    }
    if (yield* writeTail(sql, derived)) yield* put(sql, derived)
  }
}

/** Returns false if the object does not exist: with it went its tail. */
function* writeTail({ organization, run, count }: OrganizationSql, derived: DerivedObject) {
  const { object, tail } = derived
  if (tail === null) {
    run(REMOVE_TAIL, [organization, object])
    return true
  }
  const values = [organization, object, packTail(tail), longestVisitOf(derived)]
  return (yield* count(CHANGE_TAIL, values)) > 0 || (yield* count(ADD_TAIL, values)) > 0
}

function* put({ organization, run, count }: OrganizationSql, { object, puts }: DerivedObject) {
  for (const each of puts) {
    if (each.isInTail) continue
    const row = rowOf(object, each)
    const values = [organization, ...Object.values(row)]
    const isThere = each.storedStart === row.start && (yield* count(CHANGE, values)) > 0
    if (!isThere) run(PUT, values)
  }
}
