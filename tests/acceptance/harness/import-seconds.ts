import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fleet } from './fleet.ts'
import { IDENTS } from './fleet-data.ts'
import type { Organization } from './organization.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A range that includes every fix of `importSeconds`. */
export const SECONDS_RANGE = 'from_time=2024-06-01&to_time=2024-06-30'
const START = Date.parse('2024-06-01T00:00:00Z')

/**
 * Gives the silent object one fix a second from 2024-06-01 on. No socket buffers a history of 60,000 rows: the
 * server is still sending while the client does not read.
 */
export async function importSeconds(
  fleet: Fleet,
  organization: Organization,
  rows: number,
): Promise<void> {
  const file = join(temporaryFolder(), 'seconds.csv')
  const lines = Array.from({ length: rows }, (_, i) => `${IDENTS.silent},${START + i * 1000},1,1`)
  writeFileSync(file, ['ident,time_device,latitude,longitude', ...lines, ''].join('\n'))
  const summary = await fleet.json('import', 'positions', '--org', String(organization.id), file)
  assert.equal(summary.accepted, rows)
}
