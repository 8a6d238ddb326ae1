import type { DatabaseSync } from 'node:sqlite'

/** Some milliseconds. */
const SLICE_ROWS = 2_000

/**
 * Deletes rows of an organization from a table, as part of a transaction: all of them would keep others waiting. Returns
 * whether there may be more. `key`: the rest of the table's key.
 */
export function sliceRemover(
  writer: DatabaseSync,
  table: string,
  key: string,
): (organization: number) => boolean {
  const remove = writer.prepare(`
    DELETE FROM ${table} WHERE organization = ?1 AND (${key}) IN (
      SELECT ${key} FROM ${table} WHERE organization = ?1 LIMIT ${SLICE_ROWS}
    )
  `)
  return (organization) => remove.run(organization).changes === SLICE_ROWS
}
