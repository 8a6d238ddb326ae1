import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { readXlsx } from 'hucre/xlsx'
import { jsonHere, runHere } from '../../../packages/server/testing/command-line/run-here.ts'
import { assertError, type Operator, operatorBy, startConsole } from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { postRows } from '../harness/sender.ts'
import { DAY, drive, RANGE, SITE } from '../trips/records-fleet.ts'

const console = await startConsole()
const { operator, server, deployment } = console
const TYPES = ['trips', 'stops', 'visits'] as const

const { id: organization } = await operator.post('/organizations', {
  name: 'Recorded',
  create_objects: true,
})
const at = `/organizations/${organization}`
const depot = await operator.post(`${at}/sites`, SITE)
const { secret: key } = await operator.post(`${at}/keys`, { name: 'records' })
const { secret: token } = await operator.post(`${at}/feed-tokens`, { name: 'feed' })
const drives = ['van-1', 'van-2'].flatMap((ident) => drive(ident, DAY))
await postRows(server.feed, token, drives)
const objects: Json[] = (await operator.get(`${at}/objects`)).items
const [van, other] = objects.map(({ id }) => id) as [number, number]
await untilDerived()

/** Waits until the trips of both vans have ended. */
async function untilDerived(): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const { items, derived_until } = await operator.get(`${at}/trips?${RANGE}`)
    if (derived_until !== null && items.filter(({ open }: Json) => !open).length === 2) return
    await wait(200)
  }
  assert.fail('the trips are not derived')
}

/** The newest position of an open trip or stop, which is long over. */
function noSignalSince({ end_time, start_time, duration }: Json): string | null {
  const newest = Date.parse(start_time) + duration * 1_000
  return end_time === null ? new Date(newest).toISOString() : null
}

const asked = async (type: string, query: string, from: Operator = operator) =>
  from.ask('GET', `${at}/${type}?${RANGE}${query}`)

describe('Records in the admin API', () => {
  it('are the rows of the public API', async () => {
    for (const type of TYPES) {
      const answer = await request(server.api, `/public/v1/${type}?${RANGE}`, {
        headers: { 'x-api-key': key },
      })
      const { items, next } = await operator.get(`${at}/${type}?${RANGE}`)
      assert.ok(items.length >= 2, type)
      assert.deepEqual(items, resultOf(answer))
      assert.equal(next, null)
    }
  })

  it('are filtered by object, place and duration', async () => {
    const count = async (type: string, query: string) =>
      (await asked(type, query)).json.items.length
    assert.equal(await count('trips', `&ids=${van}`), 1)
    assert.equal(await count('stops', `&ids=${van}&min_duration=0`), 2)
    assert.equal(await count('stops', `&min_duration=99999999`), 0)
    assert.equal(await count('visits', `&sites=${depot.id}`), 2)
    assert.equal(await count('visits', `&sites=${depot.id}&ids=${other}`), 1)
    for (const [type, query] of [
      ['trips', '&ids=999999999'],
      ['visits', '&geofences=999999999'],
    ] as const) {
      assertError(await asked(type, query), 404, 'not_found')
    }
  })

  it('come in pages, which the cursor joins', async () => {
    const { items } = (await asked('stops', '')).json
    const found: Json[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const more: string = cursor === '' ? '' : `&cursor=${cursor}`
      const { json }: Json = await asked('stops', `&limit=3${more}`)
      found.push(...json.items)
      cursor = json.next
    }
    assert.deepEqual(found, items)
    const { next } = (await asked('stops', '&limit=1')).json
    assertError(await asked('stops', `&ids=${van}&cursor=${next}`), 400, 'invalid', 'cursor')
  })

  it('are exported as CSV, whose texts no spreadsheet runs', async () => {
    await operator.patch(`${at}/objects/${other}`, { name: '=1+1' })
    const file = await operator.ask('GET', `${at}/visits.csv?${RANGE}`)
    const { headers } = file
    assert.equal(
      headers['content-disposition'],
      `attachment; filename="visits-${organization}.csv"`,
    )
    assert.match(String(headers['x-records-until']), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    const [head, first, second, ...rest] = file.text.trimEnd().split('\r\n')
    const { items } = await operator.get(`${at}/visits?${RANGE}`)
    assert.equal(head, Object.keys(items[0]).join())
    assert.deepEqual(
      [first, rest.length],
      [
        Object.values(items[0])
          .map((value) => value ?? '')
          .join(),
        items.length - 2,
      ],
    )
    assert.ok(second!.includes(`,van-2,'=1+1,`), second)
  })

  it('are exported as a workbook with times of the organization', async () => {
    await operator.patch(at, { time_zone: 'Asia/Tokyo' })
    const file = await operator.ask('GET', `${at}/stops.xlsx?${RANGE}`, {
      headers: { 'accept-encoding': 'gzip' },
    })
    await operator.patch(at, { time_zone: 'UTC' })
    const name = `stops-${organization}.xlsx`
    const { headers } = file
    assert.equal(headers['content-disposition'], `attachment; filename="${name}"`)
    assert.equal(headers['content-encoding'], undefined)
    const [head, ...rows] = (await readXlsx(file.bytes)).sheets[0]!.rows
    const { items } = await operator.get(`${at}/stops?${RANGE}`)
    assert.deepEqual(head, [...Object.keys(items[0]), 'no_signal_since'])
    const at9 = (time: string) => new Date(Date.parse(time) + 9 * 3_600_000)
    assert.deepEqual(
      rows.map((row) => [row[0], row[head!.indexOf('name')], row[head!.indexOf('start_time')]]),
      items.map(({ id, name, start_time }: Json) => [id, name, at9(start_time)]),
    )
  })

  it('say in reports since when an open one has had no signal', async () => {
    const [last] = (await asked('stops', '')).json.items.filter(({ open }: Json) => open)
    const since = noSignalSince(last)!
    const { args } = deployment
    const org = ['--org', String(organization), '--from', '2026-05-04', '--to', '2026-05-04']
    const { stdout } = await runHere(['records', 'stops', ...org, ...args])
    const line = stdout.split('\n').find((each) => each.trimStart().startsWith(`${last.id} `))
    assert.match(line!, new RegExp(`${last.start_time}  no signal since ${since} `))
    const file = await operator.ask('GET', `${at}/stops.csv?${RANGE}`)
    const [head, ...rows] = file.text.trimEnd().split('\r\n')
    assert.match(head!, /,updated_at,no_signal_since$/)
    const row = rows.find((each) => each.startsWith(`${last.id},`))
    assert.ok(row!.endsWith(`,${since}`))
    assert.ok(
      rows.some((each) => each.endsWith(',')),
      'a stop that has ended',
    )
  })

  it('may be read by a token that reads, and say nothing of another organization', async () => {
    const { secret } = await operator.post('/tokens', { name: 'reader', role: 'support' })
    const reader = operatorBy(() => server.admin, { authorization: `Bearer ${secret}` })
    assert.equal((await asked('trips', '', reader)).status, 200)
    const { id } = await operator.post('/organizations', { name: 'Empty' })
    const empty = await operator.get(`/organizations/${id}/trips?${RANGE}`)
    assert.deepEqual([empty.items, empty.next], [[], null])
    const foreign = await operator.ask('GET', `/organizations/${id}/trips?${RANGE}&ids=${van}`)
    assertError(foreign, 404, 'not_found')
  })

  it('are those of the command line', async () => {
    const { args } = deployment
    const org = ['--org', String(organization), '--from', '2026-05-04', '--to', '2026-05-04']
    for (const type of TYPES) {
      const listed = await jsonHere(['records', type, ...org, ...args])
      const { items } = (await asked(type, '')).json
      const report = (item: Json) => ({ ...item, no_signal_since: noSignalSince(item) })
      assert.deepEqual(listed, type === 'visits' ? items : items.map(report))
    }
    const filters = ['--objects', String(van), '--sites', String(depot.id), '--min-duration', '1m']
    const [visit, ...none] = await jsonHere(['records', 'visits', ...org, ...filters, ...args])
    assert.deepEqual([visit.object_id, visit.place_name, none], [van, 'Depot', []])
  })
})
