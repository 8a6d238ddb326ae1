import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { jsonHere } from '../../../packages/server/testing/command-line/run-here.ts'
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
for (const [name, source] of [
  ['driver', 'driverUniqueId'],
  ['cargo', 'cargo'],
] as const) {
  await operator.patch(`${at}/attributes`, {
    ...{ name, type: 'text', sources: [source], is_public: true },
  })
}

const DAY = Date.UTC(2026, 10, 20)
const RANGE = 'from_time=2026-11-20T00:00:00Z&to_time=2026-11-20T23:59:59Z'
const DAYS = 'from_date=2026-11-20&to_date=2026-11-20'
/** A text that no other place of a data folder has. */
const DRIVER = 'Ayşe Kaya 20261120'
const OTHER = 'B. Diaz'

/** Drives of ten minutes: those of the morning and the evening have one driver, and that of noon another. */
const [morning, noon, evening] = [8, 12, 18].map((hour, index) =>
  drive(DAY + hour * 3_600_000, 2.1 + index * 0.06, index === 1 ? OTHER : DRIVER),
) as [Json[], Json[], Json[]]
const ALL = [...morning, ...noon, ...evening]
const timeOf = (row: Json): string => row.time_device

function drive(start: number, longitude: number, driverUniqueId: string): Json[] {
  return Array.from({ length: 30 }, (_, i) => ({
    time_device: new Date(start + i * 20_000).toISOString(),
    ...{ latitude: 41.38765, longitude: longitude + Math.min(i, 20) * 0.003 },
    ...{ speed: i < 20 ? 30 : 0, attributes: { cargo: 'sand', driverUniqueId } },
  }))
}

const without = (rows: readonly Json[], ...names: string[]): Json[] =>
  rows.map((row) => {
    const kept = Object.entries(row.attributes).filter(([name]) => !names.includes(name))
    return { ...row, attributes: Object.fromEntries(kept) }
  })

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

const ask = (act: string, body: Json) => operator.ask('POST', `${at}/attributes/${act}`, { body })
const find = async (body: Json): Promise<Json> => (await ask('find', body)).json

/** Every answer that shows values. */
const answersOn = (object: number): Record<string, string> => ({
  history: `/objects/${object}/positions?${RANGE}&include=attributes`,
  latest: `/positions/latest?ids=${object}&include=attributes`,
  at: `/positions/at?time=2026-11-20T13:00:00Z&ids=${object}&include=attributes`,
  trips: `/trips?${RANGE}&ids=${object}&attributes=driver,cargo`,
  stops: `/stops?${RANGE}&ids=${object}&attributes=driver,cargo`,
  byDriver: `/days?${DAYS}&ids=${object}&tz=UTC&by=driver`,
  days: `/days?${DAYS}&ids=${object}&tz=UTC&attributes=driver,cargo`,
})

const assertAlike = (one: number, other: number) => assertAlikeObjects(read, answersOn, one, other)

const erasedRanges = async (object: number): Promise<Json[]> =>
  (await operator.get(`${at}/objects/${object}/erased-ranges`)).items

async function untilDone(object: number): Promise<void> {
  await untilRecords({ get }, async () =>
    (await erasedRanges(object)).every((each) => each.state === 'done'),
  )
}

describe('Erased values', () => {
  it('go from all objects that have a text, and others stay', async () => {
    const [one, two, plain] = [
      await newObject('one'),
      await newObject('two'),
      await newObject('plain'),
    ]
    await send('one', ALL)
    await send('two', evening)
    const driverless = (rows: Json[]) => without(rows, 'driverUniqueId')
    await send('plain', [...driverless(morning), ...noon, ...driverless(evening)])
    const { items, next, unreadable } = await find({ value: DRIVER })
    assert.deepEqual([next, unreadable], [null, []])
    const found = { attribute: 'driverUniqueId' }
    const [first, last] = [timeOf(morning[0]!), timeOf(evening.at(-1)!)]
    assert.deepEqual(items, [
      { object: one, ident: 'one', ...found, positions: 60, first, last, ranges: 2 },
      ...[{ object: two, ident: 'two', ...found, positions: 30, first: timeOf(evening[0]!) }].map(
        (each) => ({ ...each, last, ranges: 1 }),
      ),
    ])
    const { cursor } = await read(`/changes?types=positions&ids=${one}&from=now&include=attributes`)
    const { status, json } = await ask('erase', { value: DRIVER, dry_run: true })
    assert.deepEqual([status, json.items, json.webhooks], [202, items, []])
    assert.ok(Array.isArray(json.recipients))
    assert.deepEqual(await erasedRanges(one), [])
    assert.equal((await ask('erase', { value: DRIVER })).status, 202)
    await untilDone(one)
    await untilDone(two)
    assert.deepEqual((await find({ value: DRIVER })).items, [])
    await assertAlike(one, plain)
    // A packet that comes again is a duplicate, and a late one is stored without the value.
    const late = {
      ...morning[3]!,
      time_device: new Date(DAY + 8 * 3_600_000 + 1_000).toISOString(),
    }
    const { stored, duplicate } = await send('one', [morning[3]!, late])
    assert.deepEqual([stored, duplicate], [1, 1])
    await send('plain', driverless([late]))
    await assertAlike(one, plain)
    const { changes } = await read(`/changes?cursor=${cursor}&limit=1000`)
    const drivers = changes
      .filter((each: Json) => each.op === 'put')
      .map((each: Json) => each.position.attributes)
    assert.ok(drivers.length >= 60, `${drivers.length}`)
    assert.ok(drivers.every((each: Json) => each.driver === undefined && each.cargo === 'sand'))
  })

  it('may be all of some names, of one object, from a time to a time', async () => {
    const [object, other] = [await newObject('ranged'), await newObject('same')]
    await send('ranged', ALL)
    const range = { from: timeOf(noon[0]!), to: timeOf(noon.at(-1)!) }
    const names = ['cargo', 'driverUniqueId']
    await send('same', [...morning, ...without(noon, ...names), ...evening])
    const { json } = await ask('erase', { names, object, ...range })
    assert.deepEqual(
      json.items.map((each: Json) => [each.attribute, each.positions, each.first, each.last]),
      names.map((name) => [name, 30, range.from, range.to]),
    )
    await untilDone(object)
    await assertAlike(object, other)
    const ranges = (await erasedRanges(object)).map((each) => [each.attribute, each.from, each.to])
    assert.deepEqual(
      ranges,
      names.map((name) => [name, range.from, range.to]),
    )
  })

  it('are in no line of the audit log', async () => {
    const object = await newObject('audited')
    await send('audited', morning)
    const { json } = await ask('erase', { value: DRIVER, object })
    assert.equal(json.items.length, 1)
    const [entry] = (await operator.get(`${at}/audit?limit=1`)).items
    assert.equal(entry.action, 'attributes.erase')
    assert.deepEqual(entry.changes, {
      attribute: { to: 'driverUniqueId' },
      ...{ from: { to: timeOf(morning[0]!) }, to: { to: timeOf(morning.at(-1)!) } },
    })
    assert.ok(!JSON.stringify(await operator.get(`${at}/audit?limit=500`)).includes(DRIVER))
  })

  it('are found and erased by commands', async () => {
    const object = await newObject('commanded')
    await send('commanded', ALL)
    const run = (name: string, ...more: string[]) =>
      jsonHere(['attributes', name, '--org', String(organization), ...more, ...deployment.args])
    const value = ['--value', OTHER, '--object', String(object)]
    assert.equal((await run('find', ...value)).items[0].positions, 30)
    const dry = await run('erase', ...value, '--dry-run')
    assert.equal(dry.items[0].positions, 30)
    const done = await run('erase', 'driverUniqueId', ...value, '--yes', '--quiet')
    assert.equal(done.items[0].positions, 30)
    assert.deepEqual((await run('find', ...value)).items, [])
    const [listed] = await jsonHere([
      ...['positions', 'erased', '--org', String(organization), '--object', String(object)],
      ...deployment.args,
    ])
    assert.deepEqual([listed.attribute, listed.state], ['driverUniqueId', 'done'])
  })

  it('are refused without a name or a value, without a range of one object, and of objects of others', async () => {
    const object = await newObject('refused')
    const range = { from: timeOf(noon[0]!), to: timeOf(noon[1]!) }
    for (const [body, field] of [
      [{ object, ...range }, 'names'],
      [{ names: [''], object, ...range }, 'names'],
      [{ names: ['x'.repeat(65)], object, ...range }, 'names'],
      [{ names: ['cargo'], ...range }, 'object'],
      [{ names: ['cargo'], object, to: range.to }, 'from'],
      [{ names: ['cargo'], object, from: range.to, to: range.from }, 'to'],
      [{ value: '' }, 'value'],
    ] as const) {
      assertError(await ask('erase', body), 400, 'invalid', field)
    }
    assert.deepEqual(await erasedRanges(object), [])
    const { id: foreign } = await operator.post('/organizations', { name: 'Other' })
    for (const act of ['find', 'erase']) {
      const body = { value: DRIVER, object }
      const path = `/organizations/${foreign}/attributes/${act}`
      assertError(await operator.ask('POST', path, { body }), 404, 'not_found')
    }
  })

  it(
    'are in no file of a copy of the folder, and not in that of erased ranges',
    embeddedOnly,
    async () => {
      await ask('erase', { value: DRIVER })
      for (const { id } of (await operator.get(`${at}/objects?limit=100`)).items)
        await untilDone(id)
      const copy = join(temporaryFolder(), 'copy')
      await jsonHere(['copy', '--from', deployment.folder!, '--to', copy])
      const files = readdirSync(copy).map((name) => join(copy, name))
      files.push(join(deployment.folder!, '..', 'erasures.ndjson'))
      for (const file of files) {
        const bytes = readFileSync(file)
        assert.ok(!bytes.includes(DRIVER), file)
      }
      assert.ok(readFileSync(join(copy, 'fleetgate.db')).includes(OTHER))
    },
  )
})
