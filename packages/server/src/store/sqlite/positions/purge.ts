import { takeTurn } from '../../../domain/turn.ts'
import { recordRemoval } from '../../tables/record-expiry.ts'
import type { Database } from '../database/database.ts'
import { damaged } from '../database/unavailable.ts'

/** Rows deleted in one transaction: some milliseconds, and the log stays small. */
const SLICE_ROWS = 5_000

/** Stands for the change log of a deleted organization among the objects to purge. */
export const CHANGE_LOG = 0

/**
 * Deletes the positions and records of deleted objects, slice by slice, so that others read and write in between. The
 * next opening of the store finishes an interrupted purge. If the object still exists, nothing is
 * deleted: no transaction leaves such a state, so the page must be damaged.
 */
export async function purge(database: Database): Promise<void> {
  const { writer } = database
  const pending = writer.prepare(`
    SELECT organization, object, EXISTS (SELECT 1 FROM objects WHERE id = object) AS still_exists
    FROM purges LIMIT 100
  `)
  const nth = writer.prepare(`
    SELECT time_device AS time FROM positions WHERE organization = ? AND object = ?
    ORDER BY time_device LIMIT 1 OFFSET ?
  `)
  const removeBefore = writer.prepare(
    'DELETE FROM positions WHERE organization = ? AND object = ? AND time_device < ?',
  )
  const changes = writer.prepare(`
    DELETE FROM change_log WHERE organization = ?1 AND seq <= (
      SELECT max(seq) FROM (
        SELECT seq FROM change_log WHERE organization = ?1 ORDER BY seq LIMIT ?2
      )
    )
  `)
  const removeRecords = writer.prepare(recordRemoval('object = $2', '$3').replaceAll('$', '?'))
  const finish = writer.prepare('DELETE FROM purges WHERE organization = ? AND object = ?')

  /** The number of deleted rows; `atMost` if there may be more. */
  function removeFirst(organization: number, object: number, atMost: number): number {
    const end = nth.get(organization, object, atMost) as { time: number } | undefined
    return Number(removeBefore.run(organization, object, end?.time ?? Infinity).changes)
  }

  function purgeSlice(): void {
    let left = SLICE_ROWS
    for (const { organization, object, still_exists } of pending.all() as Purge[]) {
      if (still_exists === 1) throw damaged()
      const deleted =
        object === CHANGE_LOG
          ? Number(changes.run(organization, left).changes)
          : removeFirst(organization, object, left)
      left -= deleted
      if (left <= 0) return
      left -= Number(removeRecords.run(organization, object, left).changes)
      if (left <= 0) return
      if (finish.run(organization, object).changes === 0) throw damaged()
    }
  }

  while (database.read(() => pending.get()) !== undefined) {
    await database.write(purgeSlice)
    await takeTurn()
  }
}

type Purge = { organization: number; object: number; still_exists: 0 | 1 }
