import type pg from 'pg'

const PACKED = 'packed'

/**
 * Builds the index of a partition anew, once. As rows come of all objects in turn, each page of it is
 * split in the middle and stays half empty, and those of one object lie far apart; built anew they are
 * full, and lie one after the other: half the space, and a cold disk reads a history in few long
 * stretches instead of page by page. Others read and write meanwhile.
 */
export async function packPartition(client: pg.ClientBase, name: string): Promise<void> {
  const index = `${name}_pkey`
  if (await isPacked(client, index)) return
  // What another attempt has left, that did not come to its end.
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
