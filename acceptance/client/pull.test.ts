import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { Ended } from '../../packages/server/src/cli/printed.ts'
import { resultOf } from '../harness/envelope.ts'
import { type FleetOrganization, startFleet } from '../harness/fleet.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { fleetgate, type Json } from '../harness/fleetgate.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { drivenAt, importDrive, numbersFrom } from './imported-drive.ts'
import { drivenIn } from './pulled-files.ts'

const folder = temporaryFolder()
const newOut = () => mkdtempSync(join(folder, 'out-'))
const fleet = await startFleet({ full: 0, plain: 6 })

/** Runs it with the key from a file, as a crontab would. */
function pull({ key }: FleetOrganization, out: string, ...more: string[]): Promise<Ended> {
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, `${key}\n`)
  const where = ['--url', fleet.server.api, '--api-key-file', keyFile, '--out', out]
  return fleetgate(['pull', ...where, ...more])
}

/** What it told in `--json` of each object, by id. */
function toldBy({ code, stdout, stderr }: Ended, expectedCode = 0): Map<number, Json> {
  assert.equal(code, expectedCode, stderr)
  const { objects }: Json = JSON.parse(stdout)
  return new Map(objects.map((each: Json) => [each.id, each]))
}

async function rowsOf(organization: FleetOrganization, id: number): Promise<Json[]> {
  return resultOf(await organization.get(`/objects/${id}/positions?${WHOLE_RANGE}`))
}

const contentOf = (...path: string[]) => readFileSync(join(...path), 'utf8')

describe('fleetgate pull', () => {
  it('writes a file for each object, with what the API answers', async () => {
    const organization = fleet.take()
    const { silent, ...driven } = organization.objects
    const out = newOut()
    const { code, stdout, stderr } = await pull(organization, out)
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^1,215 new rows of 4 objects in \S+, up to 20\d\d-.*Z, in [\d.]+ s\n$/)
    for (const id of Object.values(driven)) {
      const lines = contentOf(out, `${id}.ndjson`).split('\n')
      assert.equal(lines.pop(), '')
      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        await rowsOf(organization, id),
      )
    }
    assert.equal(contentOf(out, `${silent}.ndjson`), '')
    assert.equal(readdirSync(out).length, 1 + 4)
  })

  it('writes the same as CSV and as GeoJSON', async () => {
    const organization = fleet.take()
    const { van } = organization.objects
    const out = newOut()
    for (const format of ['csv', 'geojson']) {
      const ended = await pull(
        organization,
        out,
        '--format',
        format,
        '--objects',
        `${van}`,
        '--json',
      )
      assert.equal(toldBy(ended).get(van).added, 12)
    }
    const rows = await rowsOf(organization, van)
    const text = (value: unknown) => (value === null ? '' : String(value))
    assert.deepEqual(
      parse(contentOf(out, `${van}.csv`), { columns: true }).map((row) => ({ ...(row as object) })),
      rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, text(value)])),
      ),
    )
    const { type, features } = JSON.parse(contentOf(out, `${van}.geojson`))
    assert.equal(type, 'FeatureCollection')
    assert.deepEqual(
      features.map(({ geometry, properties }: Json) => {
        const [longitude, latitude] = geometry.coordinates
        return { ...properties, longitude, latitude }
      }),
      rows,
    )
  })

  it('adds each night what has come, and what came late', async () => {
    const organization = fleet.take()
    const { silent } = organization.objects
    const out = newOut()
    const night = async (to: number, ...more: string[]) => {
      const range = ['--from', '2024-06-01', '--to', drivenAt(to).time_device, '--late', '10m']
      const ended = await pull(
        organization,
        out,
        '--json',
        '--objects',
        `${silent}`,
        ...range,
        ...more,
      )
      return toldBy(ended).get(silent).added
    }
    await importDrive(fleet, organization, 'silent', numbersFrom(0, 1_000))
    assert.equal(await night(899), 900)
    assert.equal(await night(1_999), 100)
    assert.equal(await night(1_999), 0)
    // Of 2,000 to 2,999 every second one comes late, by less than ten minutes.
    await importDrive(fleet, organization, 'silent', even(numbersFrom(2_000, 3_000)))
    assert.equal(await night(2_500), 251)
    await importDrive(fleet, organization, 'silent', odd(numbersFrom(2_000, 3_000)))
    assert.equal(await night(2_999, '--span', '5m', '--page-size', '400'), 749)
    const numbers = [...numbersFrom(0, 1_000), ...numbersFrom(2_000, 3_000)]
    const rows = await Array.fromAsync(drivenIn(join(out, `${silent}.ndjson`)))
    assert.deepEqual(
      rows.sort((a, b) => a.time_device.localeCompare(b.time_device)),
      numbers.map(drivenAt),
    )
  })

  it('goes on with the others where one object has no quota left, or is none', async () => {
    const organization = fleet.take()
    const { van, truck } = organization.objects
    await fleet.run('org', 'update', String(organization.id), '--daily-quota', '1')
    await organization.get(`/positions/latest?ids=${van}`)
    const out = newOut()
    const objects = ['--json', '--objects', `${van},987654321,${truck}`]
    const ended = await pull(organization, out, ...objects)
    const told = toldBy(ended, 1)
    assert.deepEqual(
      [van, 987_654_321, truck].map((id) => [told.get(id).added, 'error' in told.get(id)]),
      [
        [0, true],
        [0, true],
        [3, false],
      ],
    )
    const [first, second] = ended.stderr.split('\n')
    assert.match(first!, new RegExp(`^fleetgate pull: object ${van}: .*quota`))
    assert.equal(second, 'fleetgate pull: object 987654321: Object not found.')
    // The next day.
    await fleet.run('org', 'update', String(organization.id), '--daily-quota', '100')
    assert.equal(
      toldBy(await pull(organization, out, '--json', '--objects', `${van}`)).get(van).added,
      12,
    )
  })

  it('says in a sentence why it could do nothing, and shows the key nowhere', async () => {
    const organization = fleet.take()
    const out = newOut()
    const key = 'fg_live_nobody'
    const refused = await pull({ ...organization, key }, out)
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.equal(refused.stderr, 'fleetgate pull: Unauthorized\n')
    const torn = await pull({ ...organization, key: `${key}\n${key}` }, out)
    assert.equal(torn.code, 1)
    assert.match(
      torn.stderr,
      /^fleetgate pull: apiKey is empty, or has characters that no key has\n$/,
    )
    assert.doesNotMatch(torn.stderr, /fg_live/)
    const noFile = await fleetgate([
      ...['pull', '--url', fleet.server.api, '--out', out],
      ...['--api-key-file', join(out, 'nowhere')],
    ])
    assert.equal(noFile.code, 1)
    assert.match(noFile.stderr, /^fleetgate pull: the key cannot be read: ENOENT.*\n$/)
    const noUrl = await fleetgate(['pull', '--api-key', key, '--out', out])
    assert.deepEqual(
      [noUrl.code, noUrl.stderr],
      [2, 'fleetgate pull: --url is missing (or FLEETGATE_URL)\n'],
    )
    await fleet.run('org', 'update', String(organization.id), '--subscription', 'suspended')
    const suspended = await pull(organization, out)
    assert.equal(suspended.code, 1)
    assert.match(suspended.stderr, /^fleetgate pull: .*suspended.*\n$/i)
  })

  it('leaves a folder alone in which another is at work', async () => {
    const organization = fleet.take()
    const out = newOut()
    await pull(organization, out)
    writeFileSync(join(out, '.pull', 'lock'), `${process.pid}\n`)
    const { code, stderr } = await pull(organization, out)
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`another pull, process ${process.pid}, is using the folder`))
    assert.ok(existsSync(join(out, '.pull', 'lock')))
  })
})

function* even(numbers: Iterable<number>): Generator<number> {
  for (const number of numbers) if (number % 2 === 0) yield number
}

function* odd(numbers: Iterable<number>): Generator<number> {
  for (const number of numbers) if (number % 2 === 1) yield number
}
