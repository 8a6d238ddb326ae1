/** `CLIENT_TRIAL=whole`: 1,000,000 rows and 20 kills, some minutes; else 60,000 and 2. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { freePort } from '../../packages/server/src/trial/servers/free-port.ts'
import { startFleet } from '../harness/fleet.ts'
import { type Json, start } from '../harness/fleetgate.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { drivenAt, importDrive, numbersFrom } from './imported-drive.ts'
import { drivenIn, keptRows, untilKept } from './pulled-files.ts'

const isWhole = process.env.CLIENT_TRIAL === 'whole'
const ROWS = isWhole ? 1_000_000 : 60_000
const KILLS = isWhole ? 10 : 1
/** So many requests that the server has not said all when it is killed, and few enough for one window. */
const PAGES = 4
const RANGE = ['--from', '2024-06-01', '--to', '2024-06-30']

// One that is started anew has to be where the other was.
const fleet = await startFleet({ full: 0, plain: 1 }, ['--port', String(await freePort())])
const organization = fleet.take()
const { silent } = organization.objects
await importDrive(fleet, organization, 'silent', numbersFrom(0, ROWS))

type Ending = { code: number | null; signal: string | null; stdout: string; stderr: string }

function startPull(out: string, ...more: string[]) {
  const where = ['--url', fleet.server.api, '--out', out, '--objects', String(silent)]
  const child = start(['pull', ...where, ...RANGE, '--json', ...more], {
    FLEETGATE_API_KEY: organization.key,
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  const ended = once(child, 'close').then(
    ([code, signal]): Ending => ({ code, signal, stdout, stderr }),
  )
  return { child, ended }
}

async function assertWhole(t: TestContext, out: string): Promise<void> {
  let number = 0
  for await (const driven of drivenIn(join(out, `${silent}.ndjson`))) {
    assert.deepEqual(driven, drivenAt(number))
    number += 1
  }
  assert.equal(number, ROWS)
  t.diagnostic(`${ROWS} rows, each once and in order`)
}

function addedBy({ code, stdout, stderr }: Ending): number {
  assert.equal(code, 0, stderr)
  const { objects }: Json = JSON.parse(stdout)
  return objects[0].added
}

describe(`A pull of ${ROWS} rows`, () => {
  it(`is killed ${KILLS} times, and goes on each time where it was`, async (t) => {
    const out = temporaryFolder()
    const file = `${silent}.ndjson`
    let kept = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, ended } = startPull(out)
      const more = await untilKept(out, file, kept)
      child.kill('SIGKILL')
      assert.equal((await ended).signal, 'SIGKILL')
      kept = keptRows(out, file)
      assert.ok(kept >= more && kept < ROWS, `killed with ${kept} of ${ROWS} rows`)
    }
    assert.equal(addedBy(await startPull(out).ended), ROWS - kept)
    await assertWhole(t, out)
    assert.equal(addedBy(await startPull(out).ended), 0)
  })

  it('stops when it is asked to, and says that it goes on', async (t) => {
    const out = temporaryFolder()
    const file = `${silent}.ndjson`
    const { child, ended } = startPull(out)
    await untilKept(out, file, 0)
    child.kill('SIGTERM')
    const { code, stdout, stderr } = await ended
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(
      stderr,
      'fleetgate pull: stopped before the end: the same command goes on from here\n',
    )
    const kept = keptRows(out, file)
    assert.ok(kept < ROWS, `stopped with ${kept} of ${ROWS} rows`)
    assert.equal(addedBy(await startPull(out).ended), ROWS - kept)
    await assertWhole(t, out)
  })

  it(`outlasts a server that is killed ${KILLS} times and started anew`, async (t) => {
    const out = temporaryFolder()
    const file = `${silent}.ndjson`
    const pages = isWhole ? [] : ['--page-size', String(ROWS / PAGES)]
    const { child, ended } = startPull(out, ...pages)
    let kept = 0
    for (let kill = 0; kill < KILLS; kill++) {
      await untilKept(out, file, kept)
      await fleet.restart('kill')
      assert.equal(child.exitCode, null, 'it is still at it')
      kept = keptRows(out, file)
      assert.ok(kept < ROWS, `killed with ${kept} of ${ROWS} rows`)
    }
    assert.equal(addedBy(await ended), ROWS)
    await assertWhole(t, out)
  })
})
