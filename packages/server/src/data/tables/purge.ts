import { takeTurn } from '../../base/domain/common/slots.ts'
import type { ChangeLogStore } from '../../engine/store/change-log.ts'
import type { RecordStore } from '../../engine/store/record-store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { expiringAfter } from './expiring.ts'
import { ALL_KINDS } from './record-columns.ts'
import type { Sql, Tables } from './sql.ts'

/** A slice looks at this many objects and deletes this many records. It takes some milliseconds. */
const EXPIRY_OBJECTS = 50
const EXPIRY_RECORDS = 250

/** Deletes the first records of a condition on `records`, at most the number of a parameter. */
function recordRemoval(condition: string, atMost: string): string {
  return `
    DELETE FROM records WHERE organization = $1 AND (kind, object, start_time, place) IN (
      SELECT kind, object, start_time, place FROM records
      WHERE organization = $1 AND kind IN (${ALL_KINDS}) AND ${condition} LIMIT ${atMost}
    )`
}

export function expiredRecords({
  dialect,
  read,
  change,
}: Tables): Pick<RecordStore, 'purgeExpired'> {
  const { isIn, list } = dialect
  const expired = `${isIn('object', '$2')} AND start_time < $3 AND end_time < $3`
  const isDue = `
    SELECT 1 FROM records
    WHERE organization = $1 AND kind IN (${ALL_KINDS}) AND ${expired} LIMIT 1`
  const remove = recordRemoval(expired, String(EXPIRY_RECORDS))
  return {
    async purgeExpired(organization, before, after) {
      const { expiring, next } = await read((sql) =>
        expiringAfter(sql, organization, before, after, EXPIRY_OBJECTS),
      )
      for (const { before: moment, objects } of expiring) {
        const values = [organization, list(objects), moment]
        if ((await read(({ one }) => one(isDue, values))) === undefined) continue
        const removed = await change(organization, ({ count }) => count(remove, values))
        // The same objects again, which may have more.
        if (removed === EXPIRY_RECORDS) return after
      }
      return next
    },
  }
}

/** Organizations that are looked at together. */
const SLICE_ORGANIZATIONS = 200
const NEXT_ORGANIZATIONS = `
  SELECT id FROM organizations WHERE id > $1 ORDER BY id LIMIT ${SLICE_ORGANIZATIONS}`

/** Deletes old changes but the newest one of an organization, because the next one gets the number after it. */
export function changePurger({ dialect, read, write }: Tables): ChangeLogStore['purge'] {
  const { owners, isIn, list } = dialect
  const ofOwner = (what: string) => `
    (SELECT ${what} FROM change_log WHERE change_log.organization = ${owners.id})`
  const isDue = `
    SELECT ${owners.id} AS organization FROM ${owners.table}
    WHERE ${isIn(owners.id, '$1')} AND ${ofOwner('min(seq)')} < ${ofOwner('max(seq)')}
      AND (
        SELECT at FROM change_log WHERE change_log.organization = ${owners.id}
        ORDER BY seq LIMIT 1
      ) < $2`
  const first = `
    SELECT seq, at FROM change_log WHERE organization = $1 ORDER BY seq LIMIT ${SLICE_ROWS}`
  // The last one of a slice stays until the next slice, which begins with it.
  const remove = `
    DELETE FROM change_log WHERE organization = $1 AND seq < coalesce(
      (SELECT min(seq) FROM (${first}) AS oldest WHERE at >= $2),
      (SELECT max(seq) FROM (${first}) AS oldest)
    )`
  /** The organizations up to this id have been purged in the present pass. */
  let purgedUpTo = 0

  return async (before) => {
    const next = await read(({ all }) => all<{ id: number }>(NEXT_ORGANIZATIONS, [purgedUpTo]))
    const values = [list(next.map(({ id }) => id)), before]
    const due = await read(({ all }) => all<{ organization: number }>(isDue, values))
    for (const { organization } of due) {
      await write(({ count }) => count(remove, [organization, before]))
    }
    // The same organizations again, until they have no old changes.
    if (due.length === 0) purgedUpTo = next.at(-1)?.id ?? 0
    return next.length > 0
  }
}

/** The id that means the change log of a deleted organization, among the objects to purge. */
export const CHANGE_LOG = 0

/** The parts of a purge that the stores do differently, in its transaction. */
export type PurgeParts = {
  /** Throws if one of the objects still exists: no transaction leaves such a state. */
  assertGone?(sql: Sql, objects: readonly number[]): Work<void>
  /** Forgets objects of which nothing is left. Their ids are free then. */
  finish(sql: Sql, organization: number, objects: readonly number[]): Work<unknown>
}

/**
 * Deletes the positions and records of deleted objects, slice by slice, so that others read and write in between.
 * Afterwards their ids are free. The next purge finishes one that was interrupted, or that the signal aborted.
 */
export type Purges = {
  purge(organization: number, signal?: AbortSignal): Promise<void>
  purgeAll(signal?: AbortSignal): Promise<void>
}

/** One transaction looks at this many objects, and deletes this many rows: some milliseconds. */
const SLICE_OBJECTS = 500
const SLICE_ROWS = 5_000

const FIRST = 'SELECT min(organization) AS organization FROM purges'
const PENDING = `
  SELECT object FROM purges WHERE organization = $1 ORDER BY object LIMIT ${SLICE_OBJECTS}`
const REMOVE = `
  DELETE FROM positions
  WHERE organization = $1 AND object = $2 AND time_device <= (
    SELECT max(time_device) FROM (
      SELECT time_device FROM positions WHERE organization = $1 AND object = $2
      ORDER BY time_device LIMIT $3
    ) AS slice
  )`
/** A block takes as long as this many rows. */
const ROWS_OF_BLOCK = 50
const REMOVE_BLOCKS = `
  DELETE FROM position_blocks
  WHERE organization = $1 AND object = $2 AND first_time <= (
    SELECT max(first_time) FROM (
      SELECT first_time FROM position_blocks WHERE organization = $1 AND object = $2
      ORDER BY first_time LIMIT $3
    ) AS slice
  )`
const REMOVE_RECORDS = recordRemoval('object = $2', '$3')
const REMOVE_CHANGES = `
  DELETE FROM change_log WHERE organization = $1 AND seq <= (
    SELECT max(seq) FROM (
      SELECT seq FROM change_log WHERE organization = $1 ORDER BY seq LIMIT $2
    ) AS slice
  )`

export function purges({ dialect, read, write }: Tables, parts: PurgeParts): Purges {
  const notEmpty = `
    SELECT object FROM ${dialect.given('$2', { object: 'bigint' })}
    WHERE EXISTS (
      SELECT 1 FROM positions WHERE organization = $1 AND positions.object = given.object
    ) OR EXISTS (
      SELECT 1 FROM position_blocks WHERE organization = $1 AND position_blocks.object = given.object
    ) OR EXISTS (
      SELECT 1 FROM records
      WHERE organization = $1 AND kind IN (${ALL_KINDS}) AND records.object = given.object
    )`

  /** Returns whether there is more. */
  function* slice(sql: Sql, organization: number): Work<boolean> {
    const pending = yield* sql.all<{ object: number }>(PENDING, [organization])
    if (pending.length === 0) return false
    const objects = pending.map(({ object }) => object)
    yield* parts.assertGone?.(sql, objects) ?? []
    let room = SLICE_ROWS
    if (objects.includes(CHANGE_LOG)) room -= yield* sql.count(REMOVE_CHANGES, [organization, room])
    if (room <= 0) return true
    const asked = JSON.stringify(objects.map((object) => ({ object })))
    const rows = yield* sql.all<{ object: number }>(notEmpty, [organization, asked])
    const remaining = new Set(rows.map(({ object }) => object))
    const empty = objects.filter((object) => !remaining.has(object))
    if (empty.length > 0) yield* parts.finish(sql, organization, empty)
    for (const object of remaining) {
      const blocks = Math.ceil(room / ROWS_OF_BLOCK)
      room -= ROWS_OF_BLOCK * (yield* sql.count(REMOVE_BLOCKS, [organization, object, blocks]))
      for (const removal of [REMOVE, REMOVE_RECORDS]) {
        if (room <= 0) return true
        room -= yield* sql.count(removal, [organization, object, room])
      }
    }
    return true
  }

  async function purge(organization: number, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await write((sql) => slice(sql, organization)))) await takeTurn()
  }

  return {
    purge,
    async purgeAll(signal) {
      for (;;) {
        const first = await read(({ one }) => one<{ organization: number | null }>(FIRST, []))
        if (first!.organization === null || signal?.aborted) return
        await purge(first!.organization, signal)
      }
    },
  }
}
