import type pg from 'pg'

const PACKED = 'packed'

/**
 * Rebuilds the index of a partition once. Rows of all objects come in turn, so pages are split in the
 * middle and stay half empty, and an object's entries lie far apart. After a rebuild pages are full and
 * in order: half the space, and a cold disk reads a history in few long stretches instead of page by
 * page. Reads and writes go on meanwhile.
 */
export async function packPartition(client: pg.ClientBase, name: string): Promise<void> {
  const index = `${name}_pkey`
  if (await isPacked(client, index)) return
  // The remains of an earlier attempt that did not finish.
  await client.query(`DROP INDEX IF EXISTS ${index}_ccnew, ${index}_ccold`)
  await client.query(`REINDEX INDEX CONCURRENTLY ${index}`)
  await client.query(`COMMENT ON INDEX ${index} IS '${PACKED}'`)
}

async function isPacked(client: pg.ClientBase, index: string): Promise<boolean> {
  const { rows } = await client.query<{ comment: string | null }>(
    `SELECT obj_description('${index}'::regclass, 'pg_class') AS comment`,
  )
  return rows[0]!.comment === PACKED
}
