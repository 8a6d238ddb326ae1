import type pg from 'pg'
import { isDistributed, oneConnectionToEach } from '../lay-out.ts'

/** All that `work` does, or nothing. */
export async function inTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN')
  try {
    if (await isDistributed(client)) await oneConnectionToEach(client)
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

/**
 * Writes into the partition wait until the end of the transaction. In a distributed database those into the
 * other partitions wait too: the coordinator does not know into which one a write goes.
 */
export async function lockPartition(client: pg.ClientBase, name: string): Promise<void> {
  const table = (await isDistributed(client)) ? 'positions' : name
  await client.query(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`)
}
