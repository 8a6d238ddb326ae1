import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { FinishedProgram } from '../../../packages/server/testing/command-line/printed.ts'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { endedOf, fleetgate, type Json, start } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'
import type { Organization } from '../harness/organization.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { importDrive, numbersFrom } from './imported-drive.ts'
import { linesOf, positionsIn } from './pulled-files.ts'

const { runHere } = await commandLine()
const folder = temporaryFolder()
const newOut = () => mkdtempSync(join(folder, 'out-'))
const fleet = await startFleet({ full: 1, plain: 6 })
const DRIVE = 'from_time=2024-06-01&to_time=2024-06-02'

/** Its arguments, with the key from a file, as a crontab would have it. */
function pulling({ key }: Organization, out: string): string[] {
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, `${key}\n`)
  return ['pull', '--url', fleet.server.api, '--api-key-file', keyFile, '--out', out]
}

function pull(
  organization: Organization,
  out: string,
  ...more: string[]
): Promise<FinishedProgram> {
  return runHere([...pulling(organization, out), ...more])
}

/** Its `--json` output. */
async function pulled(...args: Parameters<typeof pull>): Promise<Json> {
  const [organization, out, ...more] = args
  const { code, stdout, stderr } = await pull(organization, out, '--json', ...more)
  assert.deepEqual([code, stderr], [0, ''])
  return JSON.parse(stdout)
}

async function rowsOf(
  organization: Organization,
  id: number,
  range = WHOLE_RANGE,
): Promise<Json[]> {
  return resultOf(await organization.get(`/objects/${id}/positions?${range}`))
}

const timesIn = (out: string, id: number) =>
  positionsIn(out)
    .get(id)
    ?.map(({ time_device }) => time_device)

describe('fleetgate pull', () => {
  it("writes the API's answers: positions by day, and the catalogue", async () => {
    const own = fleet.full[0]!
    const out = newOut()
    const { code, stdout, stderr } = await pull(own, out)
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(
      stdout,
      /^[\d,]+ changes, 1,215 of them positions, with [123] requests in [\d.]+ s; 5 files written and 0 removed in \S+\n$/,
    )
    const positions = positionsIn(out)
    for (const id of Object.values(own.objects)) {
      assert.deepEqual(positions.get(id) ?? [], await rowsOf(own, id))
    }
    const objects = linesOf(out, 'objects.ndjson')
    assert.deepEqual(objects[0], resultOf(await own.get(`/objects/${objects[0].id}`)))
    const listed = objects.map(
      ({ latitude, longitude, altitude, angle, speed, ...object }) => object,
    )
    assert.deepEqual(listed, resultOf(await own.get('/objects')))
    for (const kind of ['geofences', 'routes', 'sites']) {
      const items = resultOf(await own.get(`/${kind}`))
      assert.ok(items.length > 0)
      assert.deepEqual(linesOf(out, `${kind}.ndjson`), items)
    }
  })

  it('brings new and late positions, names and deletions, and writes changed days only', async () => {
    const organization = fleet.take()
    const { silent, van } = organization.objects
    const out = newOut()
    const vanFile = () => statSync(join(out, 'positions/2024-05-06.ndjson')).ino
    // Every second fix from 1,000 to 2,000 comes a night later, which moves the odometer of those after it.
    await importDrive(fleet, organization, 'silent', numbersFrom(0, 1_000))
    await importDrive(fleet, organization, 'silent', numbersFrom(1_000, 3_000, 2))
    assert.equal((await pulled(organization, out)).positions, 1_215 + 2_000)
    assert.deepEqual(positionsIn(out).get(silent), await rowsOf(organization, silent, DRIVE))
    const before = vanFile()

    await importDrive(fleet, organization, 'silent', numbersFrom(1_001, 2_000, 2))
    const second = await pulled(organization, out)
    assert.deepEqual(second.written, [
      'positions/2024-06-01.ndjson',
      ...['objects', 'geofences', 'routes', 'sites'].map((kind) => `${kind}.ndjson`),
    ])
    const rows = await rowsOf(organization, silent, DRIVE)
    assert.equal(rows.length, 2_500)
    assert.deepEqual(positionsIn(out).get(silent), rows)
    assert.equal(vanFile(), before)

    const third = await pulled(organization, out)
    assert.deepEqual([third.changes, third.written, third.removed], [0, [], []])

    const org = ['--org', String(organization.id)]
    await fleet.run('objects', 'update', String(van), ...org, '--name', 'Renamed')
    await fleet.run('objects', 'delete', String(silent), ...org, '--yes')
    const last = await pulled(organization, out)
    assert.deepEqual(last.removed, ['positions/2024-06-01.ndjson'])
    assert.deepEqual(positionsIn(out).get(van), await rowsOf(organization, van))
    assert.equal(existsSync(join(out, 'positions/2024-06-01.ndjson')), false)
  })

  it('tells when a quota ends it, and goes on when there is more', async () => {
    const organization = fleet.take()
    const { van, truck } = organization.objects
    await fleet.run('org', 'update', String(organization.id), '--daily-quota', '1')
    await organization.get(`/positions/latest?ids=${van}`)
    const out = newOut()
    const { code, stdout, stderr } = await pull(organization, out)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(
      stderr,
      /^fleetgate pull: .*quota.* 00:00 UTC\. The same command then continues from here\n$/i,
    )
    // The next day.
    await fleet.run('org', 'update', String(organization.id), '--daily-quota', '100')
    await pulled(organization, out)
    assert.deepEqual(positionsIn(out).get(truck), await rowsOf(organization, truck))
  })

  it('follows until a signal, and has written what came before', async () => {
    const organization = fleet.take()
    const out = newOut()
    const positions = join(out, 'positions')
    mkdirSync(positions)
    const isThere = new Promise<void>((resolve) => {
      const watcher = watch(out, (_, name) => {
        if (name !== 'sites.ndjson') return
        watcher.close()
        resolve()
      })
    })
    const child = start([...pulling(organization, out), '--follow', '--json'])
    const ended = endedOf(child)
    await Promise.race([isThere, ended])
    assert.deepEqual(readdirSync(positions), ['2024-05-06.ndjson'])
    child.kill('SIGTERM')
    const { code, stdout, stderr } = await ended
    assert.deepEqual([code, stderr], [0, ''])
    assert.equal(JSON.parse(stdout).positions, 1_215)
  })

  it('explains a failure in one sentence and never shows the key', async () => {
    const organization = fleet.take()
    const out = newOut()
    const key = 'fg_live_nobody'
    const refused = await pull({ ...organization, key }, out)
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, /^fleetgate pull: Unauthorized: This cannot be an API key\. .*\n$/)
    assert.ok(!refused.stderr.includes(key))
    const torn = await pull({ ...organization, key: `${key}\n${key}` }, out)
    assert.equal(torn.code, 1)
    assert.match(torn.stderr, /^fleetgate pull: apiKey is empty or contains invalid characters\n$/)
    assert.doesNotMatch(torn.stderr, /fg_live/)
    const noFile = await fleetgate([
      ...['pull', '--url', fleet.server.api, '--out', out],
      ...['--api-key-file', join(out, 'nowhere')],
    ])
    assert.equal(noFile.code, 1)
    assert.match(noFile.stderr, /^fleetgate pull: the key cannot be read: ENOENT.*\n$/)
    const database = ['pull', '--url', fleet.server.api, '--api-key', key]
    const closed = await fleetgate([...database, '--to', 'postgres://me:secret@127.0.0.1:1/fleet'])
    assert.equal(closed.code, 1)
    assert.match(closed.stderr, /^fleetgate pull: cannot open the database of --to: /)
    assert.doesNotMatch(closed.stderr, /secret/)
    await fleet.run('org', 'update', String(organization.id), '--subscription', 'suspended')
    const suspended = await pull(organization, out)
    assert.equal(suspended.code, 1)
    assert.match(suspended.stderr, /^fleetgate pull: .*suspended.*\n$/i)
  })

  it('keeps to the folder of one pull, one source and one form', async () => {
    const organization = fleet.take()
    const sentences: [RegExp, (out: string) => string[]][] = [
      [
        new RegExp(`another pull \\(process ${process.pid}\\) is using the folder`),
        (out) => {
          writeFileSync(join(out, '.pull', 'lock'), `${process.pid}\n`)
          return []
        },
      ],
      [/was started with --format ndjson: /, () => ['--format', 'csv']],
      [/ has data of http:\S+: use another --out/, () => ['--url', 'http://127.0.0.1:1']],
    ]
    const out = newOut()
    await pulled(organization, out)
    for (const [sentence, prepare] of sentences) {
      const options = prepare(out)
      const { code, stderr } = await fleetgate([...pulling(organization, out), ...options])
      assert.equal(code, 1)
      assert.match(stderr, sentence)
      if (options.length === 0) writeFileSync(join(out, '.pull', 'lock'), '')
    }
    assert.equal(timesIn(out, organization.objects.van)?.length, 12)
  })
})
