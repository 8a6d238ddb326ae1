import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Deleted at the end by one listener: a process that runs many files would have too many. */
const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A new empty folder, deleted when this process ends in any way except `kill -9`. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleetgate-acceptance-'))
  folders.push(folder)
  return folder
}
