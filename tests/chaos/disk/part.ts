import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { seeded } from '../../../packages/server/testing/random.ts'
import type { Finding, Part, Trial } from '../part.ts'
import { corruption } from './corruption.ts'
import { fullDisk } from './full-disk.ts'
import { readOnlyDisk } from './read-only-disk.ts'
import { refusedFolders } from './refused-folders.ts'
import type { SceneOf } from './scene.ts'

const SCENES: Record<string, SceneOf> = {
  full: fullDisk,
  'read-only': readOnlyDisk,
  refused: refusedFolders,
  corrupted: corruption,
}

export const part: Part = {
  name: 'disk',
  title: 'Disks',
  summary: 'Disks fill up, fail, and lose or exchange bytes of the database.',
  about: `
A data folder is on a small disk of its own (ext4 in a file). The disk is filled to within a few hundred kilobytes or bytes under a
feed, an import and quota load, and emptied again. It is also cut off as a kernel does it to a disk that fails. In copies of a
database whose every answer is known, something is overwritten at random. A server over each copy is asked everything. Each
answer must be byte for byte the right one, or an error of the contract with a line in the log that names the cause. Then the
steps of docs/operating/backups.md are carried out.

Limits of detection: SQLite knows how a page has to look, but keeps no checksum. It notices a destroyed page as soon as it reads
it, whatever is in it. Fleetgate notices a whole page of the file in the place of another where rows are out of order, or come
after the last one. \`fleetgate backup\` lets no damage pass. Single bytes that change within the values of a row stay unnoticed.
The rows without a bar say how often each was served. Disks that keep checksums (ZFS, btrfs), or PostgreSQL, which does by default
from version 18 on, notice all of it. A checksum in each record would cost a tenth of the time of a long history (measured: 0.9 ms
for 10,000 rows), and would not reveal missing rows.`,
  run,
}

async function run(trial: Trial): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [name, scene] of Object.entries(SCENES)) {
    const folder = join(trial.folder, name)
    mkdirSync(folder)
    trial.progress(name)
    try {
      findings.push(...(await scene({ trial, random: seeded(trial.seed, name), folder })))
    } catch (error) {
      const measured = `${error}`.slice(0, 400)
      findings.push({ what: `${name}: the trial itself`, bar: 'ends', measured, met: false })
    }
  }
  return findings
}
