/**
 * `CLIENT_TRIAL=whole`: for files and for tables each 100 kills of a pull, 20 of its server and 100 cuts of the
 * network, some 20 minutes; otherwise 1 each.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres } from '../../../../packages/server/testing/servers/postgres.ts'
import { cuttingProxy } from '../../client/cutting-proxy.ts'
import { importDrive, numbersFrom } from '../../client/imported-drive.ts'
import { linesOf, positionsIn } from '../../client/pulled-files.ts'
import { resultOf } from '../../harness/envelope.ts'
import { startFleetProcess } from '../../harness/fleet.ts'
import { endedOf, type Json, start } from '../../harness/fleetgate.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'

const EVER = ['--from', '2020-01-01', '--to', '2027-01-01']
const isWhole = process.env.CLIENT_TRIAL === 'whole'
const EVENTS = isWhole
  ? { 'the pull is killed': 100, 'the server is killed': 20, 'the network is cut': 100 }
  : { 'the pull is killed': 1, 'the server is killed': 1, 'the network is cut': 1 }
type Event = keyof typeof EVENTS
/** Rows of the drive. Every second one comes first, and the others bit by bit, late. */
const ROWS = isWhole ? 100_000 : 12_000
/** About the bytes of the changes of a run, and the time in which files are written. */
const RUN_BYTES = isWhole ? 150_000 : 1_000_000
const SETTLE_MS = isWhole ? 1_500 : 500

const fleet = await startFleetProcess({ full: 0, plain: 2 })
const proxy = await cuttingProxy(() => fleet.server.api)
const postgres = await startPostgres()
after(() => postgres.stop())
const database = await postgres.database()

/** A fraction that differs between events and is the same in every run (golden ratio). */
const spread = (event: number) => ((event + 1) * 0.618_033_988_7) % 1

/** The events in turn, so that no kind comes at one time only. */
function* events(): Generator<Event> {
  const all = Object.values(EVENTS).reduce((sum, each) => sum + each)
  for (let number = 0; number < all; number += 1) {
    for (const [event, times] of Object.entries(EVENTS)) {
      const due = (each: number) => Math.floor((each * times) / all)
      if (due(number + 1) > due(number)) yield event as Event
    }
  }
}

/** The answers of histories, from the tables of a pull. */
async function rowsInTables(): Promise<Map<number, Json[]>> {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  const { rows } = await client.query('SELECT * FROM histories ORDER BY id, time_device')
  await client.end()
  // The column of attributes is empty, because the pull does not ask for them.
  const plain: Json[] = rows.map(({ attributes, ...row }) => ({
    ...row,
    ...(attributes !== null && { attributes }),
    id: Number(row.id),
    time_server: row.time_server.toISOString(),
    time_device: row.time_device.toISOString(),
  }))
  return Map.groupBy(plain, ({ id }) => id)
}

const RECORD_TYPES = ['trips', 'stops'] as const
type Records = { id: number; revision: number; object_id: number; positions: number }[]

async function recordsInTables(type: string): Promise<Records> {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  const { rows } = await client.query(`SELECT * FROM ${type}`)
  await client.end()
  return rows
}

/** The fields that change with each derivation, by id. */
function revisionsOf(records: Records): number[][] {
  return records
    .map((each) => [each.id, each.revision, each.object_id, each.positions].map(Number))
    .sort(([a], [b]) => a! - b!)
}

const out = temporaryFolder()
const targets = {
  files: {
    to: ['--out', out],
    rows: async () => positionsIn(out),
    records: async (type: string) => linesOf(out, `${type}.ndjson`) as Records,
  },
  tables: { to: ['--to', database], rows: rowsInTables, records: recordsInTables },
}

for (const [name, { to, rows, records }] of Object.entries(targets)) {
  describe(`The ${name} of a pull, ${JSON.stringify(EVENTS)}`, () => {
    it('are what the server answers, each row once', async (t) => {
      const organization = fleet.take()
      const { silent, van } = organization.objects
      await importDrive(fleet, organization, 'silent', numbersFrom(0, ROWS, 2))
      const startPull = () =>
        start(['pull', '--url', proxy.url, ...to, '--records', '--json'], {
          FLEETGATE_API_KEY: organization.key,
        })
      const counts: Record<string, number> = {}
      let number = 0
      for (const event of events()) {
        const child = startPull()
        const ended = endedOf(child)
        await Promise.race([ended, momentOf(number)])
        counts[event] = (counts[event] ?? 0) + 1
        if (event === 'the server is killed') await fleet.restart((server) => server.kill())
        if (event === 'the network is cut') proxy.cut()
        if (event === 'the pull is killed') child.kill('SIGKILL')
        else assert.equal((await ended).code, 0, (await ended).stderr)
        await ended
        const late = ROWS / 2 / [...events()].length
        await importDrive(
          fleet,
          organization,
          'silent',
          numbersFrom(
            1 + 2 * Math.floor(number * late),
            1 + 2 * Math.floor((number + 1) * late),
            2,
          ),
        )
        number += 1
      }
      await untilAllDerived()
      const { code, stderr } = await endedOf(startPull())
      assert.equal(code, 0, stderr)
      const pulled = await rows()
      for (const [id, range] of [
        [silent, 'from_time=2024-06-01&to_time=2024-06-30'],
        [van, 'from_time=2024-05-06&to_time=2024-05-06'],
      ] as const) {
        const answered = resultOf(await organization.get(`/objects/${id}/positions?${range}`))
        assert.ok(answered.length > 0)
        assert.deepEqual(pulled.get(id), answered)
      }
      for (const type of RECORD_TYPES) {
        const org = ['--org', String(organization.id)]
        const listed = await fleet.json('records', type, ...org, ...EVER)
        assert.ok(listed.length > 0)
        assert.deepEqual(revisionsOf(await records(type)), revisionsOf(listed), type)
      }
      t.diagnostic(JSON.stringify(counts))
    })
  })
}

/** Resolves when the records of all that was imported so far are derived. */
async function untilAllDerived(): Promise<void> {
  for (;;) {
    const { contents } = await fleet.json('status')
    if (contents.records.behind === 0) return
  }
}

/** A moment of a pull: while a page comes, or while its rows are written. */
async function momentOf(event: number): Promise<void> {
  if (event % 3 === 2) {
    await proxy.passed(1)
    await pause(spread(event) * SETTLE_MS)
  } else {
    await proxy.passed(1 + spread(event) * RUN_BYTES)
  }
}
