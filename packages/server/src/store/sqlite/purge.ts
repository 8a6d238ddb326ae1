import { takeTurn } from '../../domain/turn.ts'
import type { Database } from './database.ts'

/** Rows of one transaction: some milliseconds, and a log that stays small. */
const SLICE = 5_000

/**
 * Deletes the positions of objects that are gone, slice by slice, so that others read and write in
 * between. A purge that a crash interrupts is finished when the store is next opened.
 */
export async function purge(database: Database): Promise<void> {
  const { writer } = database
  const pending = writer.prepare('SELECT organization, object FROM purges LIMIT 100')
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
    for (const { organization, object } of pending.all() as Purge[]) {
      const end = nth.get(organization, object, left) as { time: number } | undefined
      const { changes } = removeBefore.run(organization, object, end?.time ?? Infinity)
      if (end !== undefined) return
      left -= Number(changes)
      finish.run(organization, object)
    }
  }

  while (database.read(() => pending.get()) !== undefined) {
    await database.write(purgeSlice)
    await takeTurn()
  }
}

type Purge = { organization: number; object: number }
