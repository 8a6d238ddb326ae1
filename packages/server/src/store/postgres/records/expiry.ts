import { ALL_KINDS } from '../../record-rows.ts'
import type { RecordStore } from '../../record-store.ts'
import { int8Array } from '../connection/binary-arrays.ts'
import { statement } from '../connection/connections.ts'
import type { Connection } from '../database.ts'
import type { OrganizationWrites } from '../items/organization-writes.ts'

/** A slice looks at this many objects and deletes this many records of each. It takes some milliseconds. */
const SLICE_OBJECTS = 50
const SLICE_RECORDS = 200

const NEXT_OBJECTS = statement(`
  SELECT id FROM objects WHERE organization = $1 AND id > $2 ORDER BY id LIMIT ${SLICE_OBJECTS}
`)
const EXPIRED = `
  organization = $1 AND kind = ANY('{${ALL_KINDS}}'::int4[]) AND object = due.id
  AND start_time < $3 AND end_time < $3`
const DUE = statement(`
  SELECT id FROM unnest($2::int8[]) AS due (id)
  WHERE EXISTS (SELECT FROM records WHERE ${EXPIRED}) ORDER BY id
`)
const PURGE = statement(`
  WITH expired AS MATERIALIZED (
    SELECT found.* FROM unnest($2::int8[]) AS due (id) CROSS JOIN LATERAL (
      SELECT kind, object, start_time, place FROM records WHERE ${EXPIRED} LIMIT ${SLICE_RECORDS}
    ) AS found
  )
  DELETE FROM records USING expired
  WHERE organization = $1 AND records.kind = expired.kind AND records.object = expired.object
    AND records.start_time = expired.start_time AND records.place = expired.place
`)

export function expiredRecords(
  reading: Pick<Connection, 'query'>,
  { write }: OrganizationWrites,
): RecordStore['purgeExpired'] {
  return async (organization, before, after) => {
    const next = await reading.query<{ id: number }>(NEXT_OBJECTS, [organization, after])
    const slice = next.map(({ id }) => id)
    const end = slice.length < SLICE_OBJECTS ? null : slice.at(-1)!
    if (slice.length === 0) return end
    const due = await reading.query<{ id: number }>(DUE, [organization, int8Array(slice), before])
    if (due.length === 0) return end
    const ids = int8Array(due.map(({ id }) => id))
    await write(organization, ({ run }) => run(PURGE, [organization, ids, before]))
    // The same objects again, which may have more.
    return due[0]!.id - 1
  }
}
