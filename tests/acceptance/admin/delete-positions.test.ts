import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { jsonHere, runHere } from '../../../packages/server/testing/command-line/run-here.ts'
import { assertError, startConsole } from '../harness/admin.ts'
import { assertAlikeObjects } from '../harness/alike-objects.ts'
import { request } from '../harness/client.ts'
import { embeddedOnly } from '../harness/deployment.ts'
import { resultOf } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { postRows } from '../harness/sender.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { untilRecords } from '../trips/records-fleet.ts'

const console = await startConsole()
const { operator, server, deployment } = console
const { id: organization } = await operator.post('/organizations', { name: 'Acme' })
const at = `/organizations/${organization}`
const { secret: key } = await operator.post(`${at}/keys`, { name: 'all', recipient: 'Insurer' })
const { secret: token } = await operator.post(`${at}/feed-tokens`, { name: 'feed' })
await operator.patch(at, { window_requests: 1000 })
await operator.post(`${at}/sites`, {
  ...{ name: 'Depot', latitude: 41.38765, longitude: 2.12, radius: 500 },
})
await operator.patch(`${at}/attributes`, {
  ...{ name: 'driver', type: 'text', sources: ['driver'], is_public: true },
})

const DAY = Date.UTC(2026, 10, 20)
const RANGE = 'from_time=2026-11-20T00:00:00Z&to_time=2026-11-20T23:59:59Z'
const DAYS = 'from_date=2026-11-20&to_date=2026-11-20'
const NOON = '2026-11-20T12:00:00.000Z'

/** Drives of ten minutes and the stops between them: morning, noon and afternoon. */
const [morning, noon, afternoon] = [8, 12, 15].map((hour, index) =>
  drive(DAY + hour * 3_600_000, 2.1 + index * 0.06, `Driver ${index}`),
) as [Json[], Json[], Json[]]
const ALL = [...morning, ...noon, ...afternoon]
/** A place on the way of the noon. */
const { latitude, longitude } = noon[9]!

function drive(start: number, longitude: number, driver: string): Json[] {
  return Array.from({ length: 30 }, (_, i) => ({
    time_device: new Date(start + i * 30_000).toISOString(),
    ...{ latitude: 41.38765, longitude: longitude + Math.min(i, 20) * 0.003 },
    ...{ speed: i < 20 ? 30 : 0, driver },
  }))
}

async function newObject(ident: string): Promise<number> {
  return (await operator.post(`${at}/objects`, { name: ident, ident })).id
}

const send = (ident: string, rows: readonly Json[]) =>
  postRows(
    server.feed,
    token,
    rows.map((row) => ({ ...row, ident })),
  )

const get = (path: string) =>
  request(server.api, `/public/v1${path}`, { headers: { 'x-api-key': key } })
const read = async (path: string): Promise<Json> => resultOf(await get(path))

const NOON_RANGE = { from: NOON, to: noon.at(-1)!.time_device }
const erase = (object: number, body: Json = NOON_RANGE) =>
  operator.ask('POST', `${at}/objects/${object}/delete-positions`, { body })
const erased = async (object: number): Promise<Json[]> =>
  (await operator.get(`${at}/objects/${object}/erased-ranges`)).items

/** Every answer that shows positions or what follows from them. */
const answersOn = (object: number): Record<string, string> => ({
  history: `/objects/${object}/positions?${RANGE}&attributes=driver`,
  latest: `/positions/latest?ids=${object}`,
  at: `/positions/at?time=${NOON}&ids=${object}`,
  trips: `/trips?${RANGE}&ids=${object}&attributes=driver`,
  stops: `/stops?${RANGE}&ids=${object}`,
  visits: `/visits?${RANGE}&ids=${object}`,
  days: `/days?${DAYS}&ids=${object}&tz=UTC`,
  byDriver: `/days?${DAYS}&ids=${object}&tz=UTC&by=driver`,
  coverage: `/coverage?${DAYS}&ids=${object}`,
})

async function untilDone(object: number): Promise<void> {
  await untilRecords({ get }, async () =>
    (await erased(object)).every((each) => each.state === 'done'),
  )
}

const assertAlike = (one: number, other: number) => assertAlikeObjects(read, answersOn, one, other)

describe('Positions that are deleted', () => {
  it('leave every answer as if they had never come, and late ones are acknowledged as erased', async () => {
    const [object, other] = [await newObject('van'), await newObject('plain')]
    await send('van', ALL)
    await send('plain', [...morning, ...afternoon])
    assert.equal((await erase(object)).status, 202)
    await untilDone(object)
    await assertAlike(object, other)
    const late = await send('van', [noon[3]!, { ...noon[4]!, hdop: 50 }])
    assert.deepEqual(
      late.rejects.map((each: Json) => each.reason),
      ['erased', 'erased'],
    )
    assert.deepEqual((await operator.get(`${at}/objects/${object}/rejects`)).items, [])
    await assertAlike(object, other)
  })

  it('are previewed with counts and with who was given them, and audited', async () => {
    const object = await newObject('shown')
    await send('shown', [...ALL, { ...noon[5]!, time_device: '2026-11-20T12:00:01Z', hdop: 50 }])
    await untilRecords(
      { get },
      async () => (await read(`/trips?${RANGE}&ids=${object}`)).length === 3,
    )
    const { json: preview } = await erase(object, { ...NOON_RANGE, dry_run: true })
    const { recipients, records, ...counts } = preview
    assert.deepEqual(counts, { ...NOON_RANGE, positions: 30, hidden: 0, rejects: 1, webhooks: [] })
    assert.ok(records >= 2, `${records}`)
    // The wait reads changes, unless the records are there at once.
    const others = recipients.filter((each: Json) => each.data !== 'changes')
    assert.deepEqual(
      others.map((each: Json) => [each.recipient, each.source, each.data]),
      [['Insurer', 'key', 'records']],
    )
    assert.deepEqual(await erased(object), [])
    await erase(object)
    await untilDone(object)
    const [entry] = (await operator.get(`${at}/audit?limit=1`)).items
    assert.equal(entry.action, 'positions.delete')
    assert.deepEqual(entry.changes, { from: { to: NOON }, to: { to: NOON_RANGE.to } })
  })

  it('may be one position, the newest ones or all', async () => {
    const object = await newObject('parts')
    await send('parts', morning)
    const rows = async () => (await read(`/objects/${object}/positions?${RANGE}`)).length
    const timeOf = (index: number) => morning[index]!.time_device
    for (const [from, to, left] of [
      [5, 5, 29],
      [20, 29, 19],
      [0, 29, 0],
    ] as const) {
      await erase(object, { from: timeOf(from), to: timeOf(to) })
      await untilDone(object)
      assert.equal(await rows(), left)
    }
    const [latest] = await read(`/positions/latest?ids=${object}`)
    assert.equal(latest?.latitude ?? null, null)
  })

  it('are refused by an import, which says so', async () => {
    const object = await newObject('imported')
    await erase(object)
    const file = join(temporaryFolder(), 'positions.ndjson')
    writeFileSync(file, ALL.map((row) => JSON.stringify({ ...row, ident: 'imported' })).join('\n'))
    const args = ['import', 'positions', '--org', String(organization), file, ...deployment.args]
    const { code, stdout } = await runHere([...args, '--json'])
    const { accepted, withheld } = JSON.parse(stdout)
    assert.deepEqual([code, accepted, withheld], [0, 60, { erased: 30 }])
    assert.equal((await read(`/objects/${object}/positions?${RANGE}`)).length, 60)
  })

  it('reach a copy of the changes by a cursor from before', async () => {
    const object = await newObject('followed')
    await send('followed', ALL)
    const { cursor } = await read(`/changes?types=positions&ids=${object}&from=now`)
    await erase(object)
    await untilDone(object)
    const { changes } = await read(`/changes?cursor=${cursor}&limit=1000`)
    const deleted = changes.filter((each: Json) => each.op === 'delete')
    assert.equal(deleted.length, 30)
  })

  it('name a relay as one that does not follow', async () => {
    const object = await newObject('relayed')
    const settings = { url: 'https://example.com/', from: 'now' }
    const { webhook } = await operator.post(`${at}/webhooks`, { ...settings, form: 'osmand' })
    const { id } = webhook
    const relay = { id, origin: 'https://example.com', form: 'osmand' }
    const { json: preview } = await erase(object, { ...NOON_RANGE, dry_run: true })
    assert.deepEqual(preview.webhooks, [relay])
    await erase(object)
    const [{ webhooks }] = await erased(object)
    await operator.ask('DELETE', `${at}/webhooks/${id}`)
    assert.deepEqual(webhooks, [{ ...relay, has_followed: null }])
  })

  it('are deleted and listed by commands', async () => {
    const object = await newObject('commanded')
    await send('commanded', ALL)
    const whose = ['--org', String(organization), '--object', String(object)]
    const range = ['--from', NOON, '--to', NOON_RANGE.to]
    const run = (name: string, ...more: string[]) =>
      jsonHere(['positions', name, ...whose, ...more, ...deployment.args])
    const dry = await run('delete', ...range, '--dry-run')
    assert.equal(dry.positions, 30)
    const done = await run('delete', ...range, '--yes', '--quiet')
    assert.deepEqual([done.positions, done.complete], [30, true])
    const [listed] = await run('erased')
    assert.deepEqual([listed.from, listed.to, listed.state], [NOON, NOON_RANGE.to, 'done'])
    assert.equal((await read(`/objects/${object}/positions?${RANGE}`)).length, 60)
  })

  it('are deleted again by a file of erased ranges, whose unreadable lines are a failure', async () => {
    const run = (...args: string[]) => runHere(['positions', ...args, ...deployment.args])
    const file = join(temporaryFolder(), 'erasures.ndjson')
    const { stdout: lines } = await run('export-erased')
    writeFileSync(file, lines)
    assert.equal((await run('import-erased', file, '--quiet')).code, 0)
    writeFileSync(file, `${lines}\n${lines.slice(0, 40)}`)
    const { code, stdout, stderr } = await run('import-erased', file, '--quiet', '--json')
    const { unreadable, complete } = JSON.parse(stdout)
    assert.deepEqual([code, unreadable, complete], [1, 1, false])
    assert.match(stderr, /1 line of the file cannot be read/)
    const absent = await run('import-erased', `${file}.absent`)
    assert.equal(absent.code, 1)
    assert.match(absent.stderr, /cannot read '.*absent': there is no such file/)
  })

  it('are refused to be deleted in ranges that make no sense, and of objects of others', async () => {
    const object = await newObject('refused')
    const { id: foreign } = await operator.post('/organizations', { name: 'Other' })
    for (const [body, field] of [
      [{ from: NOON_RANGE.to, to: NOON }, 'to'],
      [{ from: NOON, to: '2999-01-01T00:00:00Z' }, 'to'],
      [{ from: 'yesterday', to: NOON }, 'from'],
    ] as const) {
      assertError(await erase(object, body), 400, 'invalid', field)
    }
    const path = (name: string) => `/organizations/${foreign}/objects/${object}/${name}`
    const asked = await operator.ask('POST', path('delete-positions'), { body: NOON_RANGE })
    assertError(asked, 404, 'not_found')
    assertError(await operator.ask('GET', path('erased-ranges')), 404, 'not_found')
  })

  it('are previewed up to the present if the clock of the reader is a little ahead', async () => {
    const object = await newObject('ahead')
    const to = new Date(Date.now() + 30_000).toISOString()
    const preview = await erase(object, { from: NOON, to, dry_run: true })
    assert.equal(preview.status, 202, preview.text)
    assert.ok(Date.parse(preview.json.to) <= Date.now())
  })

  it('leave no coordinates in the file of erased ranges', embeddedOnly, () => {
    const text = readFileSync(join(deployment.folder!, '..', 'erasures.ndjson'), 'utf8')
    assert.ok(text.includes(NOON))
    for (const value of [latitude, longitude]) assert.ok(!text.includes(`${value}`))
  })
})
