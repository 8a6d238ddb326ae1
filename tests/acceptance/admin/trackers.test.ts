import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { jsonHere } from '../../../packages/server/testing/command-line/run-here.ts'
import { assertError, startConsole } from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { postRows } from '../harness/sender.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { untilRecords } from '../trips/records-fleet.ts'

const console = await startConsole()
const { operator, server, deployment } = console
const { id: organization } = await operator.post('/organizations', { name: 'Acme' })
const at = `/organizations/${organization}`
const { secret: key } = await operator.post(`${at}/keys`, { name: 'all' })
const { secret: token } = await operator.post(`${at}/feed-tokens`, { name: 'feed' })
await operator.patch(at, { window_requests: 1000 })

const DAY = Date.UTC(2026, 10, 20)
const NOON = DAY + 12 * 3_600_000
const RANGE = 'from_time=2026-11-20T00:00:00Z&to_time=2026-11-20T23:59:59Z'

/** Two drives of ten minutes, one in the morning and one in the afternoon, with the stop between them. */
const morning = drive(DAY + 8 * 3_600_000, 2.1)
const afternoon = drive(DAY + 15 * 3_600_000, 2.3)

function drive(start: number, longitude: number): Json[] {
  return Array.from({ length: 30 }, (_, i) => ({
    time_device: new Date(start + i * 30_000).toISOString(),
    ...{ latitude: 41, longitude: longitude + Math.min(i, 20) * 0.003 },
    speed: i < 20 ? 30 : 0,
  }))
}

async function newObject(ident: string): Promise<number> {
  return (await operator.post(`${at}/objects`, { name: ident, ident })).id
}

const sendAs = (ident: string, rows: readonly Json[]) =>
  postRows(
    server.feed,
    token,
    rows.map((row) => ({ ...row, ident })),
  )

const get = (path: string) =>
  request(server.api, `/public/v1${path}`, { headers: { 'x-api-key': key } })
const read = async (path: string): Promise<Json> => resultOf(await get(path))

const rowsOf = async (object: number): Promise<Json[]> =>
  (await read(`/objects/${object}/positions?${RANGE}`)).map(withoutObject)

const tripsOf = async (object: number): Promise<Json[]> =>
  (await read(`/trips?${RANGE}&ids=${object}`)).map(withoutObject)

function withoutObject(row: Json): Json {
  const { id, object_id, ident, name, revision, updated_at, time_server, ...rest } = row
  return rest
}

/** Waits until the answer has as many rows as it should. */
async function until(ask: () => Promise<Json[]>, count: number): Promise<Json[]> {
  let rows: Json[] = []
  await untilRecords({ get }, async () => {
    rows = await ask()
    return rows.length === count
  })
  return rows
}

/** Two vans: the first had the tracker until noon and sent all day, or each had its own and sent in its time. */
async function vans(name: string) {
  const [before, after] = [await newObject(`${name}-1`), await newObject(`${name}-2`)]
  return { before, after, tracker: `${name}-1` }
}

const NOON_TEXT = new Date(NOON).toISOString()

describe('A tracker that was put into another object', () => {
  it('leaves positions and trips as if it had sent for each object in its time', async () => {
    const [moved, plain] = [await vans('moved'), await vans('plain')]
    await sendAs(moved.tracker, [...morning, ...afternoon])
    await sendAs('plain-1', morning)
    await sendAs('plain-2', afternoon)
    const { ident } = await operator.patch(`${at}/objects/${moved.after}`, {
      ...{ ident: moved.tracker, since: NOON_TEXT },
    })
    assert.equal(ident, moved.tracker)
    const left = await operator.get(`${at}/objects/${moved.before}`)
    assert.equal(left.ident, `no-tracker-${moved.before}`)
    assert.deepEqual(await until(() => rowsOf(moved.after), 30), await rowsOf(plain.after))
    assert.deepEqual(await until(() => rowsOf(moved.before), 30), await rowsOf(plain.before))
    for (const which of ['before', 'after'] as const) {
      const trips = await until(() => tripsOf(plain[which]), 1)
      assert.deepEqual(await until(() => tripsOf(moved[which]), 1), trips)
    }
  })

  it('has its late packets stored for the object that had it then', async () => {
    const { before, after, tracker } = await vans('late')
    const body = { ident: tracker, since: NOON_TEXT, former_ident: 'late-old' }
    await operator.patch(`${at}/objects/${after}`, body)
    await sendAs(tracker, [...morning, ...afternoon])
    assert.equal((await operator.get(`${at}/objects/${before}`)).ident, 'late-old')
    assert.equal((await rowsOf(before)).length, 30)
    assert.equal((await rowsOf(after)).length, 30)
    assert.ok((await rowsOf(before)).every(({ time_device }) => time_device < NOON_TEXT))
  })

  it('has packets of a wrong clock noted for the object that has it now', async () => {
    const { before, after, tracker } = await vans('wrong')
    await operator.patch(`${at}/objects/${after}`, { ident: tracker, since: NOON_TEXT })
    await operator.patch(`${at}/objects/${after}`, { private_hours: 'Mo-Su' })
    const [row] = morning
    const { rejects } = await sendAs(tracker, [{ ...row, time_device: '2001-01-01T00:00:00Z' }])
    assert.equal(rejects[0].reason, 'private')
    const contacts = [before, after].map(async (id) => {
      const { last_packet_at } = await operator.get(`${at}/objects/${id}/diagnosis`)
      return last_packet_at
    })
    assert.deepEqual(await Promise.all(contacts), [null, null])
  })

  it('has an imported file stored in the same way', async () => {
    const { before, after, tracker } = await vans('imported')
    await moveByCommand(after, '--ident', tracker, '--since', NOON_TEXT)
    const rows = [...morning, ...afternoon].map((row) => JSON.stringify({ ...row, ident: tracker }))
    const file = join(temporaryFolder(), 'positions.ndjson')
    writeFileSync(file, rows.join('\n'))
    await jsonHere(['import', 'positions', '--org', String(organization), file, ...deployment.args])
    assert.equal((await rowsOf(before)).length, 30)
    assert.equal((await rowsOf(after)).length, 30)
  })

  it('is followed by a change feed that deletes and adds each position', async () => {
    const { before, after, tracker } = await vans('followed')
    await sendAs(tracker, [...morning, ...afternoon])
    const { cursor } = await changes('from=now&types=positions')
    await operator.patch(`${at}/objects/${after}`, { ident: tracker, since: NOON_TEXT })
    await until(() => rowsOf(after), 30)
    const { changes: entries } = await changes(`cursor=${cursor}&types=positions`)
    const of = (op: string) => entries.filter((entry: Json) => entry.op === op)
    assert.deepEqual(new Set(of('delete').map(({ id }: Json) => id)), new Set([before]))
    assert.deepEqual(new Set(of('put').map(({ position }: Json) => position.id)), new Set([after]))
    assert.deepEqual([of('delete').length, of('put').length], [30, 30])
  })

  it('is refused with the field and the reason', async () => {
    const { before, after, tracker } = await vans('refused')
    const ask = (body: Json, id = after) => operator.ask('PATCH', `${at}/objects/${id}`, { body })
    const valid = { ident: tracker, since: NOON_TEXT }
    assertError(await ask({ since: NOON_TEXT }), 400, 'invalid', 'since')
    assertError(await ask({ ...valid, since: 'yesterday' }), 400, 'invalid', 'since')
    assertError(await ask({ ...valid, since: '2999-01-01T00:00:00Z' }), 400, 'invalid', 'since')
    assertError(await ask({ ...valid, name: 'New' }), 400, 'invalid', 'name')
    assertError(await ask({ former_ident: 'x' }), 400, 'invalid', 'former_ident')
    assertError(await ask({ ...valid, ident: 'unknown' }), 409, 'conflict', 'since')
    assertError(await ask(valid, before), 409, 'conflict', 'since')
    assertError(await ask(valid, 999_999_999), 404, 'not_found')
    const taken = { ...valid, former_ident: 'refused-2' }
    assertError(await ask(taken), 409, 'conflict', 'former_ident')
    assert.equal((await operator.get(`${at}/objects/${before}`)).ident, tracker)
  })

  it('is in the audit log, with the moment', async () => {
    const { after, tracker } = await vans('audited')
    await operator.patch(`${at}/objects/${after}`, { ident: tracker, since: NOON_TEXT })
    const { items } = await operator.get(`/audit?organization=${organization}`)
    const entry = items.find(
      ({ target, action }: Json) => target === after && action === 'object.update',
    )
    assert.deepEqual(entry.changes, {
      ident: { from: 'audited-2', to: tracker },
      since: { to: NOON_TEXT },
    })
  })
})

async function changes(query: string): Promise<Json> {
  const all: Json[] = []
  for (let next = query; ; ) {
    const page = await read(`/changes?${next}`)
    all.push(...page.changes)
    if (!page.has_more) return { changes: all, cursor: page.cursor }
    next = `cursor=${page.cursor}&types=positions`
  }
}

function moveByCommand(object: number, ...options: string[]): Promise<Json> {
  const args = ['--org', String(organization), String(object), ...options, ...deployment.args]
  return jsonHere(['objects', 'update', ...args])
}
