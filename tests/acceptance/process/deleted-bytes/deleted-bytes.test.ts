import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from '../../harness/client.ts'
import { resultOf } from '../../harness/envelope.ts'
import { fleetgate, fleetgateJson, type Json } from '../../harness/fleetgate.ts'
import { FEED_PREFIX, postRows } from '../../harness/sender.ts'
import { type ServerProcess, serve } from '../../harness/server.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { coordinatesOf, deletedForms, FORMS, formsOf } from './byte-forms.ts'
import { onFolder, onServers, type SearchedDeployment } from './deployments.ts'
import { searchFiles } from './searched-files.ts'

/*
 * The bytes of deleted positions: files have them before the deletion, and none has them after it.
 */

const DAY_MS = 86_400_000
const PATIENCE_MS = 180_000
/** Drives of four days ago, which are packed, and of the last hour. A row is 125 m and ten seconds after the one before it. */
const OLD = 1_500
const NEW = 200
const STEP_MS = 10_000
const NOW = Math.floor(Date.now() / 1_000) * 1_000
const IDENTS = ['van', 'bus', 'kept']
/** The rows that are deleted: the van loses its newest ones, and the bus some in the middle. */
const DELETED: Record<string, [first: number, last: number]> = {
  van: [OLD - 400, OLD + NEW - 1],
  bus: [500, OLD + 100],
}
/** They stand for ten minutes in a part that is deleted. */
const STOP = { from: 1_200, to: 1_260 }
const HERE = ['--geocoder', 'off', '--webhook-networks', '127.0.0.1/32']
/** Pieces that end at the end of a page are in two parts in a file. */
const MIN_SHARE = 0.8

function rowOf(ident: string, index: number) {
  const start = index < OLD ? NOW - 4 * DAY_MS : NOW - (OLD + NEW + 1) * STEP_MS
  const isStop = index > STOP.from && index <= STOP.to
  const moved = isStop ? STOP.from : index
  const step = IDENTS.indexOf(ident) * (OLD + NEW) + moved
  return {
    ident,
    time_device: new Date(start + index * STEP_MS).toISOString(),
    latitude: Math.round((40 + step * 0.0011237) * 1e7) / 1e7,
    longitude: 2.1234567,
    speed: isStop ? 0 : 45,
  }
}

const rowsOf = (ident: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => rowOf(ident, from + at))

const DELETED_PLACES = coordinatesOf(
  Object.entries(DELETED).flatMap(([ident, [first, last]]) => rowsOf(ident, first, last + 1)),
)

async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (const giveUpAt = performance.now() + PATIENCE_MS; !(await holds()); await pause(100)) {
    assert.ok(performance.now() < giveUpAt, `${what} took too long`)
  }
}

/** A receiver of positions that has taken some of each object. */
async function openReceiver() {
  const taken = new Set<string>()
  const server = createServer(({ url }, response) => {
    taken.add(new URL(url!, 'http://any').searchParams.get('id')!)
    response.end()
  }).listen(0, '127.0.0.1')
  after(() => server.close().closeAllConnections())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, hasAll: () => taken.size === IDENTS.length }
}

/** A fleet whose positions are in each form, and its server. */
async function startFleet({ deployment }: SearchedDeployment) {
  const { args } = deployment
  const { id } = await fleetgateJson(['org', 'create', 'A', '--create-objects', ...args])
  const run = (...words: string[]): Promise<Json> =>
    fleetgateJson([...words, '--org', String(id), ...args])
  // A test looks at trips until they are derived.
  await fleetgateJson(['org', 'update', String(id), '--window-requests', '1000', ...args])
  const { token } = await run('feed-token', 'issue', '--name', 'any')
  const { key } = await run('key', 'issue', '--name', 'any')
  const file = join(temporaryFolder(), 'old.ndjson')
  const old = IDENTS.flatMap((ident) => rowsOf(ident, 0, OLD))
  writeFileSync(file, old.map((row) => JSON.stringify(row)).join('\n'))
  await run('import', 'positions', '--create-objects', file)
  await fleetgateJson(['pack', ...args, '--quiet'])
  const server = await serve(deployment, HERE)
  after(() => server.kill())
  const receiver = await openReceiver()
  await run('webhook', 'create', '--form', 'osmand', '--url', receiver.url, '--from', 'history')
  await run('webhook', 'create', '--url', 'https://127.0.0.1:1/', '--from', 'history')
  const get = async (path: string): Promise<Json> =>
    resultOf(await request(server.api, `/public/v1${path}`, { headers: { 'x-api-key': key } }))
  const ids = new Map<string, number>(
    (await get('/objects')).map((each: Json) => [each.ident, each.id]),
  )
  const trips = `/trips?ids=${[...ids.values()].join()}&from_time=${new Date(NOW - 5 * DAY_MS).toISOString()}&to_time=${new Date(NOW).toISOString()}`
  await get(trips)
  for (const ident of IDENTS) {
    const rows = rowsOf(ident, OLD, OLD + NEW)
    const [byParameters, byJson] = [rows.splice(-3), rows]
    await postRows(server.feed, token, byJson)
    for (const { latitude, longitude, time_device } of byParameters) {
      const time = Date.parse(time_device) / 1_000
      const query = `id=${ident}&lat=${latitude}&lon=${longitude}&timestamp=${time}&speed=24`
      const sent = await request(server.feed, `${FEED_PREFIX}/${token}/osmand?${query}`)
      assert.equal(sent.status, 200, sent.text)
    }
    const [first] = DELETED[ident] ?? [0]
    const later = Date.parse(rowOf(ident, Math.max(first, OLD)).time_device) + 1
    const unlike = { ...rowOf(ident, Math.max(first, OLD)), time_device: later, hdop: 50 }
    const { rejected } = await postRows(server.feed, token, [unlike])
    assert.equal(rejected, 1)
  }
  await until(async () => (await get(trips)).length >= 2 * IDENTS.length, 'the derivation of trips')
  await until(receiver.hasAll, 'the relay')
  return { run, ids, server }
}

type Fleet = Awaited<ReturnType<typeof startFleet>>

async function deletePositions({ run, ids }: Fleet): Promise<void> {
  for (const [ident, [first, last]] of Object.entries(DELETED)) {
    const range = [
      '--from',
      rowOf(ident, first).time_device,
      '--to',
      rowOf(ident, last).time_device,
    ]
    const whose = ['--object', String(ids.get(ident))]
    const { complete, positions, rejects } = await run(
      ...['positions', 'delete', ...whose, ...range, '--yes', '--quiet'],
    )
    assert.deepEqual([complete, positions, rejects], [true, last + 1 - first, 1])
  }
}

/** Until each range is deleted, also those that a server deletes again after a restore. */
async function untilErased({ run, ids }: Fleet): Promise<void> {
  for (const ident of Object.keys(DELETED)) {
    await until(async () => {
      const ranges = await run('positions', 'erased', '--object', String(ids.get(ident)))
      return ranges.length > 0 && ranges.every((range: Json) => range.state === 'done')
    }, 'the deletion')
  }
}

/** Until records are derived without what was deleted. */
async function untilDerived({ deployment }: SearchedDeployment): Promise<void> {
  await until(async () => {
    const { contents } = await fleetgateJson(['status', ...deployment.args])
    return contents.records.behind === 0 && contents.recompute.objects === 0
  }, 'the derivation of records')
}

/** Shrinks the data as the page on data protection says. Returns what is still in its files. */
async function leftAfterShrinking(
  place: SearchedDeployment,
  fleet: Fleet,
  before: ReturnType<typeof formsOf>,
  server: ServerProcess,
) {
  const { deployment, places } = place
  await untilErased(fleet)
  await untilDerived(place)
  const shrink = ['shrink', '--quiet', ...deployment.args]
  if (!place.shrinksUnderServer) {
    const refused = await fleetgate(shrink)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /is being served by another process/)
    await server.stop()
  }
  assert.notEqual(searchFiles(places, DELETED_PLACES).length, 0, 'a shrink has nothing to do')
  const shrunk = await fleetgateJson(shrink)
  assert.deepEqual([shrunk.log, shrunk.skipped], ['cleared', []])
  await place.rewriteLogs()
  const forms = deletedForms(before, await place.values())
  const found = searchFiles(places, [...forms, ...DELETED_PLACES])
  const log = Buffer.from(JSON.stringify(server.log) + server.stderr())
  const logged = DELETED_PLACES.filter(({ bytes }) => log.includes(bytes))
  return { forms, left: [...found, ...logged].map(({ name, ...rest }) => ({ name, ...rest })) }
}

for (const [name, open] of [
  ['a data folder', onFolder],
  ['PostgreSQL and Redis', onServers],
] as const) {
  it(`No byte of deleted positions remains in ${name}, nor after a restore`, async (t) => {
    const place = await open()
    after(() => place.stop())
    const fleet = await startFleet(place)
    await place.flush()
    await untilDerived(place)
    const before = formsOf(await place.values())
    const seen = searchFiles(place.places, [...before, ...DELETED_PLACES])
    for (const [table, column] of FORMS) {
      const isOf = ({ name }: { name: string }) => name === `${table}.${column}`
      const [all, found] = [before.filter(isOf).length, seen.filter(isOf).length]
      t.diagnostic(`${table}.${column}: ${found} of ${all} in the files before`)
      assert.ok(all > 0 && found >= all * MIN_SHARE, `${table}.${column}: ${found} of ${all}`)
    }
    await fleet.server.stop()
    await place.backUp()
    let server = await serve(place.deployment, HERE)
    after(() => server.kill())
    await deletePositions(fleet)
    const once = await leftAfterShrinking(place, fleet, before, server)
    t.diagnostic(`${once.forms.length} forms and ${DELETED_PLACES.length} coordinates searched`)
    assert.deepEqual(once.left, [])
    await server.stop()

    await place.restore()
    assert.notEqual(
      searchFiles(place.places, DELETED_PLACES).length,
      0,
      'the backup is another one',
    )
    server = await serve(place.deployment, HERE)
    after(() => server.kill())
    const again = await leftAfterShrinking(place, fleet, before, server)
    assert.deepEqual(again.left, [])
  })
}
