import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fleet } from './fleet.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Imports rows of CSV, each of which must be accepted. */
export async function importRows(
  fleet: Pick<Fleet, 'json'>,
  { id }: { id: number },
  kind: 'objects' | 'positions',
  columns: string,
  rows: string[],
): Promise<void> {
  const file = join(temporaryFolder(), `${kind}.csv`)
  writeFileSync(file, [columns, ...rows, ''].join('\n'))
  const summary = await fleet.json('import', kind, '--org', String(id), file)
  assert.equal(summary.accepted, rows.length)
}
