import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { makeThinVolume, type ThinVolume } from '../../trial/thin-volume.ts'
import { openQuotaJournal, readQuotaJournal } from './quota-journal.ts'

const TODAY = 20_778
/** A charge of so many takes two blocks of the disk. */
const OBJECTS = Array.from({ length: 1_000 }, (_, i) => i + 1)

const scratch = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-thin-'))
const volume = makeThinVolume(join(scratch.path, 'volume'))
const skip = volume === undefined ? 'only root can mount a thin volume' : false
after(() => {
  volume?.remove()
  scratch.remove()
})

/** The system writes what it has, as it does some seconds later by itself. */
function writeBack({ folder }: ThinVolume): void {
  spawnSync('sync', ['--file-system', folder])
}

it('keeps charges on a thin volume whose pool was exhausted meanwhile', { skip }, async () => {
  const thin = volume!
  const journal = openQuotaJournal(join(thin.folder, 'quota.journal'))
  const charge = () => journal.append(TODAY, 1, OBJECTS).written
  await charge()
  writeBack(thin)
  thin.exhaust()
  await charge()
  writeBack(thin)
  thin.replenish()
  await charge()
  writeBack(thin)
  const counts = readQuotaJournal(join(thin.powerCut(), 'quota.journal')).get(TODAY)
  assert.equal(new Map(counts).get(1), 3)
  journal.close()
})
