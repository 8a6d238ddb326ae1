import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new empty folder that is gone when this process ends, however it ends short of `kill -9`. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleetgate-acceptance-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
