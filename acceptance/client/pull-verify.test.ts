import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const { runHere } = await commandLine()
const folder = temporaryFolder()
const fleet = await startFleet({ full: 1, plain: 1 })

describe('fleetgate pull verify', () => {
  const own = fleet.full[0]!
  const out = mkdtempSync(join(folder, 'out-'))
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, own.key)
  const options = ['--url', fleet.server.api, '--api-key-file', keyFile, '--out', out, '--json']
  const verified = async (): Promise<Json> => {
    const { code, stdout, stderr } = await runHere(['pull', 'verify', ...options])
    assert.deepEqual([code, stderr], [0, ''])
    return JSON.parse(stdout)
  }
  const positions = join(out, 'positions')
  const filesIn = () =>
    readdirSync(positions)
      .sort()
      .map((name) => readFileSync(join(positions, name), 'utf8'))

  it('finds a copy of all days equal', async () => {
    const { verified: result, positions } = await verified()
    assert.deepEqual(result, { days: 3, repaired: 0, different: 0 })
    assert.equal(positions, 1_215)
  })

  it('writes a file anew that others have changed', async () => {
    const before = filesIn()
    const [name] = readdirSync(positions)
    appendFileSync(join(positions, name!), 'spoilt\n')
    assert.deepEqual((await verified()).written, [`positions/${name}`])
    assert.deepEqual(filesIn(), before)
  })

  it('reads days anew that the copy has lost', async () => {
    const before = filesIn()
    const copy = new DatabaseSync(join(out, '.pull', 'copy.db'))
    copy.exec('DELETE FROM blocks; DELETE FROM runs')
    copy.close()
    const { verified: result } = await verified()
    assert.deepEqual(result, { days: 3, repaired: 3, different: 0 })
    assert.deepEqual(filesIn(), before)
  })
})
