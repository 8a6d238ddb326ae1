import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { seeded } from '../../packages/server/src/simulated/demo/random.ts'
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
  about: `A data folder lies on a small disk of its own (ext4 in a file) that is filled to within a few
hundred kilobytes or bytes under a feed, an import and quota load, and emptied again; and that is cut off as a
kernel does it to a disk that fails. In copies of a database whose every answer is known, something is overwritten at a place that chance gives; a server over
each copy is asked everything, and each answer has to be byte for byte the right one, or an error as the
contract has it with a line in the log that says what is the matter. At last the steps of
[operating](operating/backups.md#a-damaged-database) are carried out.

What cannot be seen: SQLite knows how a page has to look, but keeps no checksum. A page that is destroyed is
noticed as soon as it is read, whatever is in it. A whole page of the file in the place of another is noticed
by Fleetgate where rows are out of order, or stand behind what seemed to be the last, and by \`fleetgate
backup\`, which lets nothing through that is not sound. Single bytes that change within the values of a row
are noticed by nobody. The rows without a bar tell how often each was served. Disks that keep checksums (ZFS,
btrfs), or PostgreSQL, which does by default from version 18 on, notice all of it. A checksum in each record
would cost a tenth of the time of a long history (measured: 0.9 ms for 10,000 rows) and not tell of rows that
are missing.`,
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
