import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'
import { senderOf } from '../harness/sender.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const HOUR_MS = 3_600_000
const WINDOW_MS = 10_000
const { runHere } = await commandLine()
const folder = temporaryFolder()
const fleet = await startFleet()

describe('fleetgate pull verify', async () => {
  const own = await senderOf(fleet, fleet.take())
  const time_device = new Date(Date.now() - HOUR_MS).toISOString()
  const place = { time_device, latitude: 41, longitude: 2 }
  await own.post([
    { ident: IDENTS.van, ...place, altitude: 5.5, angle: 90, speed: 36, ignition: true },
    { ident: IDENTS.truck, ...place },
    { ident: IDENTS.silent, ...place },
  ])
  // One question is enough for the days of a month. Those of years would fill the window of a run.
  await fleet.run('org', 'update', String(own.id), '--retention-days', '30')
  const out = mkdtempSync(join(folder, 'out-'))
  const options = ['--url', fleet.server.api, '--api-key', own.key, '--out', out, '--json']
  const verified = async (): Promise<Json> => {
    // The window of the server is empty again, as the one of each run is.
    await own.time.pass(WINDOW_MS)
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
    assert.equal(positions, 3)
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
    copy.exec('DELETE FROM positions')
    copy.close()
    const { verified: result } = await verified()
    assert.deepEqual(result, { days: 3, repaired: 3, different: 0 })
    assert.deepEqual(filesIn(), before)
  })
})
