import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { resultOf } from '../../harness/envelope.ts'
import { startFleet } from '../../harness/fleet.ts'
import { fleetgateJson, type Json } from '../../harness/fleetgate.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'

const fleet = await startFleet({ full: 0, plain: 3 })
const folder = temporaryFolder()

function counts({ read, accepted, duplicate, conflict, rejected }: Json) {
  return { read, accepted, duplicate, conflict, rejected }
}

const FILE = [
  'vehicle,when,lat,lng,mph',
  'bus-1,2024-02-29T12:00:00-05:00,30.1,-97.1,62.5',
  'bus-1,2024-02-29T11:59:00-05:00,30.2,-97.2,0',
  'bus-2,2024-02-29T12:00:00-05:00,0,0,0',
  'bus-2,2024-02-30T12:00:00-05:00,30.3,-97.3,1',
  'bus-2,2024-02-29T12:01:00-05:00,91,-97.3,1',
  'bus-1,2024-02-29T17:00:00Z,30.1,-97.1,62.5',
  'bus-1,2024-02-29T17:00:00Z,30.1,-97.1,63.5',
  '"bus-2",2024-02-29T12:02:00-05:00,"30.4",-97.4,10',
  '',
].join('\n')
const MAP = ['--map', 'ident=vehicle,time_device=when,latitude=lat,longitude=lng,speed=mph']
const OPTIONS = [...MAP, '--speed-unit', 'mph']

describe('import positions', () => {
  const organization = fleet.take()
  const org = ['--org', String(organization.id)]
  const file = join(folder, 'foreign.csv')
  writeFileSync(file, FILE)

  it('rejects rows with an unknown object, unless it may create objects', async () => {
    const ended = await fleet.run('import', 'positions', '--json', ...org, ...OPTIONS, file)
    assert.deepEqual(counts(JSON.parse(ended.stdout)), {
      ...{ read: 8, accepted: 0, duplicate: 0, conflict: 0, rejected: 8 },
    })
    assert.match(ended.stdout, /unknown_ident/)
    assert.equal(ended.code, 1)
    assert.match(ended.stderr, /nothing was imported: all 8 rows were rejected/)
  })

  it('accounts for every row', async () => {
    const create = '--create-objects'
    const summary = await fleet.json('import', 'positions', ...org, ...OPTIONS, create, file)
    assert.deepEqual(counts(summary), {
      ...{ read: 8, accepted: 3, duplicate: 1, conflict: 1, rejected: 3 },
    })
    for (const reason of ['no_fix', 'bad_time', 'out_of_range']) {
      assert.match(JSON.stringify(summary), new RegExp(reason))
    }
    const objects = resultOf(await organization.get('/objects'))
    const bus = objects.find((object: { ident: string }) => object.ident === 'bus-1')
    const range = 'from_time=2024-02-29&to_time=2024-02-29'
    const rows = resultOf(await organization.get(`/objects/${bus.id}/positions?${range}`))
    assert.deepEqual(
      rows.map((row: Json) => [row.time_device, row.latitude, row.speed]),
      [
        ['2024-02-29T16:59:00.000Z', 30.2, 0],
        // The faster one of the three fixes of this moment: 63.5 mph.
        ['2024-02-29T17:00:00.000Z', 30.1, 102.19],
      ],
    )
  })

  it('changes nothing the second time', async () => {
    const summary = await fleet.json('import', 'positions', ...org, ...OPTIONS, file)
    assert.deepEqual(counts(summary), {
      ...{ read: 8, accepted: 0, duplicate: 3, conflict: 2, rejected: 3 },
    })
    const objects = resultOf(await organization.get('/objects'))
    const bus = objects.find((object: { ident: string }) => object.ident === 'bus-1')
    const range = 'from_time=2024-02-29&to_time=2024-02-29'
    const rows = resultOf(await organization.get(`/objects/${bus.id}/positions?${range}`))
    assert.deepEqual(
      rows.map((row: Json) => row.speed),
      [0, 102.19],
    )
  })

  it('takes the complete rows of a truncated file, and reports the end', async () => {
    const cut = join(folder, 'cut.csv')
    writeFileSync(
      cut,
      'ident,time_device,latitude,longitude\nbus-1,2024-03-01T00:00:00Z,1,1\nbus-1,2024-03-0',
    )
    const { code, stdout, stderr } = await fleet.run('import', 'positions', ...org, cut)
    assert.match(stdout + stderr, /cut off|truncated/i)
    const again = await fleetgateJson([
      'import',
      'positions',
      ...org,
      ...fleet.deployment.args,
      cut,
    ])
    assert.deepEqual([again.read, again.duplicate, again.rejected, code], [2, 1, 1, 0])
  })

  it('reads standard input', async () => {
    const input = 'ident,time_device,latitude,longitude\nbus-1,2024-03-02T00:00:00Z,1,1\n'
    const args = ['import', 'positions', ...org, ...fleet.deployment.args, '--format', 'csv', '-']
    assert.equal((await fleetgateJson(args, input)).accepted, 1)
  })
})

describe('Exit codes', () => {
  it('are 2 for wrong usage and 1 for failures, with one sentence on stderr', async () => {
    const organization = fleet.take()
    const org = ['--org', String(organization.id)]
    const cases: [code: number, ...args: string[]][] = [
      [2, 'nonsense'],
      [2, 'org', 'create', '--name', 'x', '--distance-unit', 'furlong'],
      [2, 'org', 'create', '--nonsense'],
      [2, 'import', 'positions', ...org, '--map', 'nonsense=a', join(folder, 'foreign.csv')],
      [1, 'import', 'positions', ...org, join(folder, 'absent.csv')],
      [1, 'org', 'show', '999999'],
    ]
    for (const [code, ...args] of cases) {
      const ended = await fleet.run(...args)
      assert.equal(ended.code, code, args.join(' '))
      assert.equal(ended.stdout, '', args.join(' '))
      assert.match(ended.stderr, /\S/)
    }
  })
})
