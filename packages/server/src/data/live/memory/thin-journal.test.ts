import assert from 'node:assert/strict'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { makeThinVolume } from '../../../../testing/thin-volume.ts'
import { openQuotaJournal, readQuotaJournal } from './quota-journal.ts'

const TODAY = 20_778
/** A charge of this many objects takes two blocks of the disk. */
const OBJECTS = Array.from({ length: 1_000 }, (_, i) => i + 1)

const scratch = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-thin-'))
const volume = makeThinVolume(join(scratch.path, 'volume'))
const skip = volume === undefined ? 'only root can mount a thin volume' : false
after(() => {
  volume?.remove()
  scratch.remove()
})

it('keeps charges on a thin volume whose pool was temporarily exhausted', { skip }, async () => {
  const thin = volume!
  const journal = openQuotaJournal(join(thin.folder, 'quota.journal'))
  const charge = () => journal.append({ objects: OBJECTS, day: TODAY }, 1).written
  await charge()
  await journal.sync()
  thin.exhaust()
  await charge()
  await journal.sync()
  await charge()
  thin.replenish()
  await charge()
  await journal.sync()
  const counts = readQuotaJournal(join(thin.powerCut(), 'quota.journal')).get(TODAY)
  assert.equal(counts && new Map(counts).get(1), 400)
  journal.close()
})
