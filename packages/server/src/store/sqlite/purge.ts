import { takeTurn } from '../../domain/turn.ts'
import type { Database } from './database.ts'
import { damaged } from './unavailable.ts'

/** Rows deleted in one transaction: some milliseconds, and the log stays small. */
const SLICE = 5_000

/**
 * Deletes the positions of deleted objects, slice by slice, so that others read and write in between. The
 * next opening of the store finishes an interrupted purge. If the object still exists, nothing is
 * deleted: no transaction leaves such a state, so the page must be damaged.
 */
export async function purge(database: Database): Promise<void> {
  const { writer } = database
  const pending = writer.prepare(`
    SELECT organization, object, EXISTS (SELECT 1 FROM objects WHERE id = object) AS stands
    FROM purges LIMIT 100
  `)
  const nth = writer.prepare(`
    SELECT time_device AS time FROM positions WHERE organization = ? AND object = ?
    ORDER BY time_device LIMIT 1 OFFSET ?
  `)
  const removeBefore = writer.prepare(
    'DELETE FROM positions WHERE organization = ? AND object = ? AND time_device < ?',
  )
  const finish = writer.prepare('DELETE FROM purges WHERE organization = ? AND object = ?')

  function purgeSlice(): void {
    let left = SLICE
    for (const { organization, object, stands } of pending.all() as Purge[]) {
      if (stands === 1) throw damaged()
      const end = nth.get(organization, object, left) as { time: number } | undefined
      const { changes } = removeBefore.run(organization, object, end?.time ?? Infinity)
      if (end !== undefined) return
      left -= Number(changes)
      if (finish.run(organization, object).changes === 0) throw damaged()
    }
  }

  while (database.read(() => pending.get()) !== undefined) {
    await database.write(purgeSlice)
    await takeTurn()
  }
}

type Purge = { organization: number; object: number; stands: 0 | 1 }
