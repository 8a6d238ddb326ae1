import type pg from 'pg'

/** A row takes some 300 bytes in a full partition, and never so many, with its index. */
const SPARSE_ROW_BYTES = 6_000
/** A smaller partition has nothing to give back. */
const MIN_BYTES = 1024 ** 2
/** Reads and writes of the week wait while it is rewritten: some seconds at this size. */
const MAX_BYTES = 1024 ** 3

/** The number of rows is that of the last vacuum, which comes soon after many were deleted. */
const IS_SPARSE = `
  SELECT pg_total_relation_size(oid) BETWEEN ${MIN_BYTES} + reltuples * ${SPARSE_ROW_BYTES} AND ${MAX_BYTES} AS is
  FROM pg_class WHERE oid = $1::regclass AND reltuples >= 0`

/**
 * Rewrites a partition most of whose rows were packed. Vacuum frees their space for other rows of the week, but no more
 * rows of it come.
 */
export async function compactPartition(client: pg.ClientBase, name: string): Promise<void> {
  const { rows } = await client.query<{ is: boolean }>(IS_SPARSE, [name])
  if (rows[0]?.is) await client.query(`VACUUM (FULL, ANALYZE) ${name}`)
}
