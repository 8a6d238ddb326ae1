import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { DAY_MS } from '../../../../packages/server/src/base/domain/time/time.ts'
import { lockDataFolder } from '../../../../packages/server/src/data/sqlite/data-folder.ts'
import type { Store } from '../../../../packages/server/src/engine/store/store.ts'
import { foldRules } from '../../../../packages/server/src/engine/tracking/rules/advance.ts'
import { openStore } from '../../../../packages/server/src/run/compose.ts'
import { openTraccar } from '../../../../packages/server/src/work/attach/traccar-source.ts'
import {
  attributesAtEnd,
  countBetween,
  readDays,
  readPage,
} from '../../../../packages/server/src/work/attach/traccar-tables.ts'
import { selfSigned } from '../../../../packages/server/testing/certificate.ts'
import { endOf } from '../../../../packages/server/testing/command-line/printed.ts'
import { jsonHere, runHere } from '../../../../packages/server/testing/command-line/run-here.ts'
import {
  fleetgate,
  start,
  temporaryFolder,
} from '../../../../packages/server/testing/command-line/spawned.ts'
import { cuttingProxy } from '../../../../packages/server/testing/servers/cutting-proxy.ts'
import { withoutPostgres } from '../../../../packages/server/testing/servers/installed.ts'
import {
  type Mariadb,
  startMariadb,
  withoutMariadb,
} from '../../../../packages/server/testing/servers/mariadb.ts'
import { startPostgres } from '../../../../packages/server/testing/servers/postgres.ts'
import { emptyDatabase } from '../../../../packages/server/testing/servers/shared-postgres.ts'
import { fleetOn } from '../../../../packages/server/testing/store-contract/fixture.ts'
import {
  makeTraccar,
  type TraccarDatabase,
} from '../../../../packages/server/testing/traccar/traccar-database.ts'
import { SCHEMA_VERSION } from '../../../../packages/server/testing/traccar/traccar-tables.ts'

const FIRST_DAY = Date.UTC(2026, 2, 1)
const CLOCK = { now: () => Date.now(), monotonic: () => 0 }

let mariadb: Mariadb | undefined

describe('attach traccar, its database in PostgreSQL', { skip: withoutPostgres }, () => {
  suite(async () => makeTraccar('postgres', await emptyDatabase()), '0044-03-15 00:00:00 BC')

  it('counts positions of the last day that has a date', async (t) => {
    const made = await scene(t, await makeTraccar('postgres', await emptyDatabase()))
    const fixtime = '9999-12-31 00:00:00'
    await made.traccar.insert('tc_positions', [position(1, FIRST_DAY, { fixtime })])
    await made.attach()
    const [first] = (await made.attach()).devices
    assert.deepEqual([first.traccar, first.here, first.reasons.bad_time], [111, 100, 1])
  })

  it('ends equal after a kill in a Fleetgate on PostgreSQL', async (t) => {
    await endsEqual(t, await makeTraccar('postgres', await emptyDatabase()), await emptyDatabase())
  })
})

describe('attach traccar, its positions in partitions', { skip: withoutPostgres }, () => {
  const open = async () => makeTraccar('postgres', await emptyDatabase(), { isPartitioned: true })
  suite(open, '0044-03-15 00:00:00 BC')

  it('reads the partitions of the days that it asks for, by device and time', async (t) => {
    const { traccar } = await scene(t, await open())
    await traccar.run('ANALYZE')
    const signal = new AbortController().signal
    const source = await openTraccar(traccar.url, { waitMs: 0, warn: () => {}, signal })
    t.after(() => source.close())
    const plans: string[] = []
    const explaining = {
      ...source,
      async rows<Row extends object>(statement: string, values: readonly unknown[] = []) {
        const lines = await source.rows<Record<string, string>>(`EXPLAIN ${statement}`, values)
        plans.push(lines.map((each) => each['QUERY PLAN']).join('\n'))
        return source.rows<Row>(statement, values)
      },
    }
    const [from, before] = ['2026-03-02', '2026-03-03']
    await readDays(explaining, 1, from)
    await countBetween(explaining, 1, from, `${from} 12:00:00`)
    await readPage(explaining, 1, { fixtime: from, id: 0 }, before, 10)
    await readPage(explaining, 1, { fixtime: `${from} 00:10:00`, id: null }, before, 10)
    await attributesAtEnd(explaining, 1, [from, before], 'DESC')
    for (const plan of plans) {
      assert.doesNotMatch(plan, /_pkey|positions_0/)
      assert.match(plan, /positions_1/)
    }
  })
})

describe('attach traccar, its database in MariaDB', { skip: withoutMariadb }, () => {
  before(async () => {
    mariadb = await startMariadb()
  })
  after(() => mariadb?.stop())
  suite(async () => makeTraccar('mysql', await mariadb!.database()), '0000-00-00 00:00:00')
})

const certificate = selfSigned('localhost', '')
const withoutCertificate = certificate === undefined ? 'openssl is not installed' : false

describe('attach traccar, its database encrypted', { skip: withoutCertificate }, () => {
  it('asks PostgreSQL for its certificate', { skip: withoutPostgres }, async (t) => {
    const file = await certificateFile(t)
    const settings = { ssl: 'on', ssl_cert_file: file, ssl_key_file: file }
    const server = await startPostgres(settings)
    t.after(() => server.stop())
    const traccar = await makeTraccar('postgres', await server.database())
    const sign = 'SELECT ssl::text AS cipher FROM pg_stat_ssl WHERE pid = pg_backend_pid()'
    await checksCertificate(t, traccar, file, sign, /^t/)
  })

  it('asks MariaDB for its certificate', { skip: withoutMariadb }, async (t) => {
    const file = await certificateFile(t)
    const server = await startMariadb([`--ssl-cert=${file}`, `--ssl-key=${file}`])
    t.after(() => server.stop())
    const traccar = await makeTraccar('mysql', await server.database())
    const sign =
      "SELECT variable_value AS cipher FROM information_schema.session_status WHERE variable_name = 'Ssl_cipher'"
    await checksCertificate(t, traccar, file, sign, /^TLS_/)
  })
})

/** A file that servers may read, which run as the user nobody for root. */
async function certificateFile(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'certificate.pem')
  writeFileSync(file, certificate!.cert, { mode: 0o600 })
  chmodSync(folder, 0o755)
  if (process.getuid?.() === 0) chownSync(file, 65_534, 65_534)
  return file
}

/** The certificate names localhost, and not 127.0.0.1. */
async function checksCertificate(
  t: TestContext,
  traccar: TraccarDatabase,
  file: string,
  sign: string,
  encrypted: RegExp,
): Promise<void> {
  const { args } = await scene(t, traccar)
  const patience = { waitMs: 0, warn: () => {}, signal: new AbortController().signal }
  const source = await openTraccar(`${traccar.readerUrl}?sslmode=require`, patience)
  const [used] = await source.rows<{ cipher: string }>(sign).finally(() => source.close())
  assert.match(used!.cipher, encrypted)
  const checked = (host: string) => {
    const url = `${traccar.readerUrl.replace('127.0.0.1', host)}?sslmode=verify-full`
    return args.map((each) => (each === traccar.readerUrl ? url : each))
  }
  const unknown = await fleetgate(checked('localhost'))
  assert.match(unknown.stderr, /self-signed certificate/)
  const known = { NODE_EXTRA_CA_CERTS: file }
  const other = await fleetgate(checked('127.0.0.1'), known)
  assert.match(
    other.stderr,
    /does not match certificate|requires the name of the host in the URL, not its address/,
  )
  const { code, stderr } = await fleetgate(checked('localhost'), known)
  assert.equal(code, 0, stderr)
}

/** `noDay`: a moment that the database sorts first, and that is of no day. */
function suite(open: () => Promise<TraccarDatabase>, noDay: string): void {
  it('proposes an organization for each customer, and shares a device of two', async (t) => {
    const { attach, plan } = await scene(t, await open())
    const answer = await attach()
    assert.equal(answer.version, SCHEMA_VERSION)
    assert.deepEqual(answer.organizations, [
      { name: 'Acme', users: [2, 3], groups: [], devices: ['imei-1', 'imei-2'] },
      { name: 'Beta', users: [4], groups: [], devices: ['imei-2', 'imei-3', 'imei-4'] },
    ])
    assert.deepEqual(answer.left_out, ['imei-5'])
    const written = JSON.parse(readFileSync(plan, 'utf8'))
    assert.deepEqual(
      written.organizations.map(({ name }: { name: string }) => name),
      ['Acme', 'Beta'],
    )
  })

  it('takes devices, geofences and positions, and says why others are not stored', async (t) => {
    const made = await scene(t, await open())
    await made.attach()
    const answer = await made.attach()
    assert.equal(answer.read, 110 + 2 * 20 + 30 + 10)
    const [first, ...others] = answer.devices
    assert.deepEqual([first.traccar, first.here, first.missing], [110, 100, 0])
    assert.deepEqual(first.reasons, {
      ...{ no_fix: 3, same_time: 2, before_1990: 2, in_future: 1 },
      ...{ accuracy_above_maximum: 1, hdop_above_maximum: 1 },
    })
    assert.deepEqual(first.distance.traccar_km, 12.5)
    assert.ok(first.distance.here_km > 20, `${first.distance.here_km}`)
    assert.deepEqual(
      others.map(({ ident, here }: { ident: string; here: number }) => [ident, here]),
      [
        ['imei-2', 20],
        ['imei-2', 20],
        ['imei-3', 30],
        ['imei-4', 10],
      ],
    )
    await made.onStore(async (store) => {
      const [acme, beta] = await store.organizations.list()
      const objects = await store.objects.list(acme!.id)
      assert.deepEqual(
        objects.map(({ name, ident, plateNumber }) => [name, ident, plateNumber]),
        [
          ['Van 1', 'imei-1', 'B-AC 1'],
          ['Van 2', 'imei-2', null],
        ],
      )
      const [yard] = await store.geofences.list(acme!.id)
      assert.deepEqual(yard!.coordinates[0], [13.3, 52.5])
      assert.deepEqual([yard!.name, yard!.color], ['Yard', '#ff0000'])
      const [depot] = await store.sites.list(acme!.id)
      assert.deepEqual([depot!.latitude, depot!.longitude, depot!.radius], [52.4, 13.1, 150])
      const [road] = await store.routes.list(beta!.id)
      assert.deepEqual([road!.coordinates[0]![1], road!.deviation], [[13.7, 52.7], 40])
      const state = (await store.positions.states(acme!.id, [objects[0]!.id])).get(objects[0]!.id)!
      const { lastFix, attributes } = state
      assert.ok(Math.abs(lastFix!.speed! - 18.52) < 0.01, `${lastFix!.speed}`)
      assert.equal(lastFix!.timeDevice, FIRST_DAY + 2 * DAY_MS + 33 * 60_000)
      assert.equal(lastFix!.ignition, true)
      assert.match(JSON.stringify(attributes), /9007199254740993/)
    })
    const problems = answer.remarks.map(({ about }: { about: string }) => about)
    assert.deepEqual(problems, [
      'attributes of devices',
      'geofence 4 (Islands)',
      'device imei-5 (Spare)',
    ])
  })

  it('takes later what is missing: late, lost and new positions, and nothing twice', async (t) => {
    const made = await scene(t, await open())
    await made.attach()
    await made.attach()
    assert.equal((await made.attach()).read, 0)
    const late = position(1, FIRST_DAY + 30_500)
    await made.traccar.insert('tc_positions', [late])
    assert.equal((await made.attach()).read, 34, 'the day of the late one')
    await made.traccar.insert('tc_positions', [position(1, FIRST_DAY + 2 * DAY_MS + 60 * 60_000)])
    const answer = await made.attach()
    assert.equal(answer.read, 1, 'only what follows')
    assert.deepEqual([answer.devices[0].traccar, answer.devices[0].here], [112, 102])
    assert.equal((await made.attach()).read, 0)
  })

  it('counts positions of no day, and takes the days after them', async (t) => {
    const made = await scene(t, await open())
    await made.traccar.insert('tc_positions', [position(1, FIRST_DAY, { fixtime: noDay })])
    await made.attach()
    const [first] = (await made.attach()).devices
    assert.deepEqual([first.traccar, first.here, first.reasons.bad_time], [111, 100, 1])
    await made.traccar.insert('tc_positions', [position(1, FIRST_DAY, { fixtime: noDay })])
    const again = await made.attach()
    assert.deepEqual([again.read, again.devices[0].reasons.bad_time], [0, 2])
    const status = await jsonHere(['attach', 'status', ...made.place])
    assert.equal(status.devices[0].reasons.bad_time, 2)
  })

  it('does not read the days before the retention of an object', async (t) => {
    const made = await scene(t, await open())
    await made.attach()
    await made.attach()
    const recent = position(1, Date.now() - DAY_MS)
    await made.traccar.insert('tc_positions', [recent])
    rmSync(`${made.plan}.state`, { recursive: true })
    await made.onStore((store) => store.objects.update(1, 1, { retentionDays: 7 }, Date.now()))
    const [first] = (await made.attach()).devices
    assert.deepEqual([first.traccar, first.reasons], [2, { in_future: 1 }])
  })

  it('changes nothing that is stored when its state is lost', async (t) => {
    const made = await scene(t, await open())
    await made.attach()
    await made.attach()
    const stored = () =>
      made.onStore(async ({ objects, geofences, sites, routes }) =>
        Promise.all(
          [1, 2].flatMap((id) => [objects, geofences, sites, routes].map((each) => each.list(id))),
        ),
      )
    const at = FIRST_DAY + 2 * DAY_MS + 60 * 60_000
    await made.traccar.insert('tc_positions', [
      position(1, at, { accuracy: 4_000 }),
      position(1, at),
    ])
    const [first] = (await made.attach()).devices
    assert.deepEqual([first.here, first.missing], [101, 0])
    const before = await stored()
    rmSync(`${made.plan}.state`, { recursive: true })
    const [again] = (await made.attach()).devices
    assert.deepEqual([again.here, again.missing, again.reasons], [101, 0, first.reasons])
    assert.deepEqual(await stored(), before)
  })

  it('refuses another time zone, and a second process', async (t) => {
    const made = await scene(t, await open())
    await made.attach()
    await made.attach()
    const lock = lockDataFolder(`${made.plan}.state`)
    const second = await runHere(made.args)
    lock.release()
    assert.match(second.stderr, /another process is using this plan/)
    const plan = readFileSync(made.plan, 'utf8')
    writeFileSync(made.plan, plan.replace('"UTC"', '"Europe/Berlin"'))
    const { code, stderr } = await runHere(made.args)
    assert.equal(code, 2)
    assert.match(
      stderr,
      /time_zone is Europe\/Berlin, but positions were taken in UTC: set it back/,
    )
  })

  it('keeps the object of a device that Traccar has made again', async (t) => {
    const { traccar, attach, onStore } = await scene(t, await open())
    await attach()
    await attach()
    const ids = () =>
      onStore(async (store) => (await store.objects.list(2)).map(({ id, ident }) => [id, ident]))
    const before = await ids()
    await traccar.run('UPDATE tc_devices SET id = 13 WHERE id = 3')
    await attach('--mirror-deletions')
    assert.deepEqual(await ids(), before)
    const { devices } = await attach('--mirror-deletions')
    assert.equal(devices.filter(({ ident }: { ident: string }) => ident === 'imei-3').length, 1)
  })

  it('takes a device on whose tracker was in an object that was deleted', async (t) => {
    const made = await scene(t, await open())
    await made.attach()
    await made.attach()
    await made.onStore(async ({ objects }) => {
      const [from, to] = (await objects.list(2)).slice(1)
      const since = FIRST_DAY + 15 * 60_000
      const tracker = { ident: 'imei-3', since, formerIdent: 'without' }
      await objects.moveTracker(2, to!.id, tracker, Date.now())
      await objects.delete(2, from!.id)
    })
    rmSync(`${made.plan}.state`, { recursive: true })
    const { devices } = await made.attach()
    const moved = devices.find(({ ident }: { ident: string }) => ident === 'imei-3')
    assert.deepEqual([moved.traccar, moved.reasons], [30, { former_holder_deleted: 15 }])
  })

  it('ends equal after a kill', async (t) => endsEqual(t, await open()))

  it('follows until it is stopped', async (t) => {
    const made = await scene(t, await open())
    await made.attach()
    const following = start([...made.args, '--follow', '--quiet', '--json'])
    const state = join(`${made.plan}.state`, 'attachment.json')
    const isCompared = () =>
      existsSync(state) && typeof JSON.parse(readFileSync(state, 'utf8')).sweep?.ended === 'number'
    await unlessEnded(following, isCompared)
    following.kill('SIGTERM')
    const { code, stdout } = await endOf(following)
    assert.equal(code, 0)
    assert.equal(JSON.parse(stdout).devices[0].here, 100)
  })

  it('keeps the positions that Traccar deleted, and counts them', async (t) => {
    const made = await scene(t, await open())
    await made.attach()
    await made.attach()
    // A day with positions that are not stored here, and one of another day.
    await made.traccar.run(
      "DELETE FROM tc_positions WHERE deviceid = 1 AND fixtime >= '2026-03-02' AND fixtime < '2026-03-03'",
      "DELETE FROM tc_positions WHERE deviceid = 1 AND fixtime = '2026-03-01 00:00:00'",
    )
    for (const read of [32, 0]) {
      const { read: found, devices } = await made.attach()
      const { traccar, here, gone, missing } = devices[0]
      assert.deepEqual([found, traccar, here, gone, missing], [read, 69, 100, 34, 0])
    }
    const { stdout } = await runHere(['attach', 'status', ...made.place, '--metrics'])
    assert.match(stdout, /^fleetgate_attach_positions\{in="here"\} 180$/m)
    assert.match(stdout, /^fleetgate_attach_deleted_positions\{in="traccar"\} 34$/m)
    assert.match(stdout, /^fleetgate_attach_refused_positions\{reason="before_1990"\} 2$/m)
    assert.match(stdout, /^fleetgate_attach_compared_timestamp_seconds 1[0-9.]{9,}$/m)
  })

  it('keeps a deleted day deleted', async (t) => {
    const made = await scene(t, await open())
    await made.attach()
    await made.attach()
    const day = { from: FIRST_DAY, to: FIRST_DAY + DAY_MS - 1 }
    await made.onStore(async (store) => {
      await store.positions.erase(1, 1, { ranges: [day] }, Date.now())
      while ((await store.positions.eraseSlice(foldRules(CLOCK), Date.now())) !== null);
    })
    await made.traccar.insert('tc_positions', [position(1, FIRST_DAY + 30_500)])
    for (const read of [34, 0]) {
      const answer = await made.attach()
      assert.equal(answer.read, read)
      assert.deepEqual([answer.devices[0].reasons.erased, answer.devices[0].missing], [34, 0])
    }
    await made.onStore(async (store) => {
      const { positions, hidden } = await store.positions.storedIn(1, 1, day)
      assert.deepEqual([positions, hidden], [0, 0])
    })
  })

  it('waits for a database that goes away, and never empties the fleet', async (t) => {
    const traccar = await open()
    const proxy = await cuttingProxy(t, traccar.readerUrl)
    const made = await scene(t, traccar)
    await made.attach()
    const args = [...made.args]
    args[args.indexOf(traccar.readerUrl)] = proxy.through(traccar.readerUrl)
    // Within the first page of positions at the latest, which has more than 20 KB.
    proxy.cutAfter(4_000, 1)
    const { code, stdout, stderr } = await runHere([...args, '--json', '--quiet'])
    assert.equal(code, 0, stderr)
    assert.equal(proxy.cuts(), 2)
    assert.match(stderr, /cannot be reached: .*\. Trying again in 1 s; what is stored here stays/)
    assert.equal(JSON.parse(stdout).devices[0].here, 100)
    const gone = new URL(traccar.readerUrl)
    gone.port = '1'
    args[args.indexOf(proxy.through(traccar.readerUrl))] = gone.href
    const unreachable = await runHere(args)
    assert.equal(unreachable.code, 1)
    assert.match(unreachable.stderr, /Traccar's database at 127.0.0.1 cannot be reached/)
    assert.doesNotMatch(unreachable.stderr, /secret/)
    await traccar.run('DELETE FROM tc_devices')
    const empty = await runHere([...made.args, '--mirror-deletions'])
    assert.match(empty.stderr, /Traccar has no devices; .* Nothing was changed/)
    await made.onStore(async (store) => assert.equal((await store.objects.list(1)).length, 2))
  })

  it('follows names, lists what Traccar deleted, and deletes it only if asked', async (t) => {
    const { traccar, attach, onStore } = await scene(t, await open())
    await attach()
    await attach()
    await traccar.run(
      "UPDATE tc_devices SET name = 'Van One' WHERE id = 1",
      "UPDATE tc_geofences SET area = 'CIRCLE (52.41 13.1, 200)' WHERE id = 2",
      'DELETE FROM tc_devices WHERE id = 3',
      'DELETE FROM tc_geofences WHERE id = 1',
    )
    const listed = await attach()
    const gone = listed.remarks.filter(({ problem }: { problem: string }) =>
      /stays here/.test(problem),
    )
    assert.deepEqual(
      gone.map(({ organization, about }: { organization: string; about: string }) => [
        organization,
        about,
      ]),
      [
        ['Beta', 'device imei-3 (Van 3)'],
        ['Acme', 'geofence 1'],
      ],
    )
    await onStore(async (store) => {
      assert.equal((await store.objects.find(1, 1))!.name, 'Van One')
      assert.equal((await store.sites.list(1))[0]!.radius, 200)
      assert.equal((await store.objects.list(2)).length, 3)
    })
    await attach('--mirror-deletions')
    await onStore(async (store) => {
      assert.equal((await store.objects.list(2)).length, 2)
      assert.equal((await store.geofences.list(1)).length, 0)
    })
  })

  it('makes nothing again that was deleted here, and says so', async (t) => {
    const { attach, onStore, place } = await scene(t, await open())
    await attach()
    await attach()
    await onStore((store) => store.objects.delete(1, 1))
    const { remarks } = await attach()
    const expected = { organization: 'Acme', about: 'device imei-1 (Van 1)' }
    const problem = 'its object was deleted here and is not created again'
    assert.deepEqual(remarks[0], { ...expected, problem })
    const status = await jsonHere(['attach', 'status', ...place])
    assert.deepEqual(status.remarks[0], { ...expected, problem })
    assert.equal(status.version, SCHEMA_VERSION)
    const mistyped = await runHere(['attach', 'status', ...place.slice(0, -1), '/nowhere/data'])
    assert.match(mistyped.stderr, /there is no Fleetgate data in '\/nowhere\/data'; set .* --to/)
  })
}

/** Kills an attachment in the middle of a device, and compares its end with that of another one. */
async function endsEqual(t: TestContext, traccar: TraccarDatabase, to?: string): Promise<void> {
  const made = await scene(t, traccar, { to })
  await made.attach()
  const many = Array.from({ length: 6_000 }, (_, index) =>
    position(1, FIRST_DAY + 5 * DAY_MS + index * 20_000),
  )
  await traccar.insert('tc_positions', many)
  const killed = start([...made.args, '--rate', '1000', '--quiet'])
  const state = join(`${made.plan}.state`, 'device-1-of-1.json')
  const isUnderWay = () => existsSync(state) && readFileSync(state, 'utf8').includes('2026-03-06')
  await unlessEnded(killed, isUnderWay)
  const ended = once(killed, 'exit')
  killed.kill('SIGKILL')
  await ended
  const answer = await made.attach()
  assert.deepEqual([answer.devices[0].traccar, answer.devices[0].here], [6_110, 6_100])
  const whole = await scene(t, traccar, { isFilled: true })
  await whole.attach()
  await whole.attach()
  const records = ({ onStore }: typeof made) => onStore((store) => fleetOn(store, 1, 1).records())
  assert.ok((await records(made)).equals(await records(whole)))
}

/** Resolves once something holds that a process brings about. Rejects if the process ends before. */
async function unlessEnded(child: ChildProcess, holds: () => boolean): Promise<void> {
  while (!holds()) {
    assert.deepEqual([child.exitCode, child.signalCode], [null, null], 'it ended before')
    await pause(5)
  }
}

type SceneOptions = { isFilled?: boolean; to?: string }

/** `to`: the URL of Fleetgate's database. Left out: a new data folder. */
async function scene(t: TestContext, traccar: TraccarDatabase, options: SceneOptions = {}) {
  const { isFilled = false, to } = options
  if (!isFilled) await fill(traccar)
  const folder = await temporaryFolder(t)
  const plan = join(folder, 'traccar.json')
  const data = join(folder, 'data')
  const place = [
    '--plan',
    plan,
    '--to',
    to ?? data,
    ...(to === undefined ? [] : ['--allow-data-loss']),
  ]
  const args = ['attach', 'traccar', '--database', traccar.readerUrl, ...place]
  return {
    traccar,
    plan,
    place,
    args,
    attach: (...more: string[]) => jsonHere([...args, '--quiet', ...more]),
    async onStore<Answer>(work: (store: Store) => Promise<Answer>): Promise<Answer> {
      const location = to === undefined ? { folder: data } : { database: to, allowDataLoss: true }
      const store = await openStore(location)
      return work(store).finally(() => store.close())
    },
  }
}

/** `2026-03-01 00:00:00.000`, as Traccar's driver writes it. */
function written(time: number): string {
  return new Date(time).toISOString().replace('T', ' ').replace('Z', '')
}

function position(deviceid: number, time: number, more: object = {}) {
  return {
    ...{ protocol: 'teltonika', deviceid, fixtime: written(time), devicetime: written(time) },
    ...{ servertime: written(time + 2_000), valid: true, altitude: 34, speed: 10, course: 90 },
    ...{ latitude: 52.5 + ((time / 1000) % 86_400) * 4.6e-5, longitude: 13.3, accuracy: 0 },
    ...{ address: null, attributes: { ignition: true, sat: 9, fuel: 40.5 }, network: null },
    ...more,
  }
}

/** Two customers, a device of both, one of nobody, and positions of all kinds. */
async function fill({ insert }: TraccarDatabase): Promise<void> {
  const user = (id: number, name: string, administrator = false) => {
    const email = `${name}@example.com`
    return { id, name, email, administrator, readonly: false, disabled: false }
  }
  await insert('tc_users', [
    ...[user(1, 'admin', true), user(2, 'Acme'), user(3, 'Ann of Acme'), user(4, 'Beta')],
  ])
  await insert('tc_groups', [
    { id: 1, name: 'Beta', groupid: null },
    { id: 2, name: 'Beta north', groupid: 1 },
  ])
  const device = (id: number, name: string, groupid: number | null, attributes = {}) => {
    return { id, name, uniqueid: `imei-${id}`, groupid, attributes }
  }
  await insert('tc_devices', [
    device(1, 'Van 1', null, { licensePlate: 'B-AC 1', speedLimit: 43 }),
    ...[device(2, 'Van 2', null), device(3, 'Van 3', 1), device(4, 'Van 4', 2)],
    device(5, 'Spare', null),
  ])
  const links = { tc_user_device: [2, 1, 2, 2, 3, 1, 3, 2, 4, 2, 1, 5], tc_user_group: [4, 1] }
  for (const [table, ids] of Object.entries(links)) {
    const to = table === 'tc_user_device' ? 'deviceid' : 'groupid'
    for (let at = 0; at < ids.length; at += 2) {
      await insert(table, [{ userid: ids[at]!, [to]: ids[at + 1]! }])
    }
  }
  const geofence = (id: number, name: string, area: string, attributes = {}) => {
    return { id, name, description: null, area, attributes }
  }
  await insert('tc_geofences', [
    geofence(1, 'Yard', 'POLYGON ((52.5 13.3, 52.6 13.3, 52.6 13.4, 52.5 13.3))', {
      color: '#ff0000',
    }),
    geofence(2, 'Depot', 'CIRCLE (52.4 13.1, 150)'),
    geofence(3, 'Road', 'LINESTRING (52.6 13.6, 52.7 13.7)', { polylineDistance: 40 }),
    geofence(4, 'Islands', 'MULTIPOLYGON (((1 2, 2 3, 3 1, 1 2)))'),
  ])
  await insert('tc_user_geofence', [{ userid: 2, geofenceid: 1 }])
  await insert('tc_device_geofence', [{ deviceid: 1, geofenceid: 2 }])
  await insert('tc_group_geofence', [
    { groupid: 1, geofenceid: 3 },
    { groupid: 2, geofenceid: 4 },
  ])
  await insert('tc_positions', positionsOfDevices())
}

function positionsOfDevices() {
  const drive = (device: number, count: number, from: number) =>
    Array.from({ length: count }, (_, index) => position(device, from + index * 60_000))
  const first = [0, 1, 2].flatMap((day) => drive(1, day === 2 ? 34 : 33, FIRST_DAY + day * DAY_MS))
  const at = FIRST_DAY + DAY_MS + 12 * 60 * 60_000
  const total = (meters: number) => ({
    attributes: `{"ignition":true,"sat":9,"totalDistance":${meters},"tag":9007199254740993}`,
  })
  Object.assign(first[0]!, total(1_000))
  Object.assign(first.at(-1)!, total(13_500))
  return [
    ...first,
    ...[1, 2, 3].map((minute) => position(1, at + minute * 60_000, { valid: false })),
    ...[1, 1].map((minute) => position(1, FIRST_DAY + DAY_MS + minute * 60_000)),
    ...[1, 2].map((second) => position(1, Date.UTC(1980, 0, 6) + second * 1000)),
    position(1, Date.UTC(2036, 0, 1)),
    position(1, at + 20 * 60_000, { accuracy: 4_000 }),
    position(1, at + 21 * 60_000, { attributes: { hdop: 40 } }),
    ...drive(2, 20, FIRST_DAY),
    ...drive(3, 30, FIRST_DAY),
    ...drive(4, 10, FIRST_DAY),
  ]
}
