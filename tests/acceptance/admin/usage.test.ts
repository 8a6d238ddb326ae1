import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startConsole } from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'
import { postRows } from '../harness/sender.ts'

const console = await startConsole()
const { operator } = console
const { get, post, patch } = operator

async function newFleet(name: string, more: object = {}) {
  const { id } = await post('/organizations', { name, create_objects: true, ...more })
  const at = `/organizations/${id}`
  const { secret: key, credential } = await post(`${at}/keys`, { name: 'k' })
  const call = async (path: string) =>
    (await request(console.server.api, PREFIX + path, { headers: { 'x-api-key': key } })).status
  return { id, at, key, credential: credential.id as number, call }
}

const today = async (at: string) => (await get(`${at}/usage?days=1`)).days[0]
const order = ({ operation, status }: Json) => `${operation} ${status}`
const sorted = (answers: Json[]) => [...answers].sort((a, b) => (order(a) < order(b) ? -1 : 1))

describe('Usage', () => {
  it('is counted by operation and status, including refusals, without losing a request', async () => {
    const { at, id, credential, call } = await newFleet('Counted')
    const other = await newFleet('Other')
    await request(console.server.api, `${PREFIX}/objects`)
    await other.call('/objects')
    const statuses = []
    for (const path of ['/objects', '/objects', '/objects/1x', '/objects/999999999', '/sites']) {
      statuses.push(await call(path))
    }
    statuses.push(...(await Promise.all(Array.from({ length: 12 }, () => call('/geofences')))))
    const refused = statuses.filter((status) => status === 429).length
    assert.equal(refused, 7)
    const { day, answers, ...counts } = await today(at)
    assert.equal(day, new Date().toISOString().slice(0, 10))
    assert.deepEqual(counts, { requests: 17, refused })
    assert.deepEqual(sorted(answers), [
      { operation: 'getObject', status: 400, requests: 1 },
      { operation: 'getObject', status: 404, requests: 1 },
      { operation: 'listGeofences', status: 200, requests: 5 },
      { operation: 'listGeofences', status: 429, requests: 7 },
      { operation: 'listObjects', status: 200, requests: 2 },
      { operation: 'listSites', status: 200, requests: 1 },
    ])
    const summary = await get(at)
    assert.deepEqual([summary.requests_today, summary.refused_today], [17, refused])
    const listed = (await get('/organizations')).items.find((each: Json) => each.id === id)
    assert.deepEqual(listed, summary)
    const [key] = (await get(`${at}/keys`)).items
    assert.deepEqual([key.id, key.requests_today, key.requests_30_days], [credential, 17, 17])
  })

  it('lists each day of its range, including days without requests', async () => {
    const { at, call } = await newFleet('Days')
    await call('/objects')
    for (const days of [1, 30, 90]) {
      const found = (await get(`${at}/usage?days=${days}`)).days
      const expected = Array.from({ length: days }, (_, i) =>
        new Date(Date.now() - (days - 1 - i) * 86_400_000).toISOString().slice(0, 10),
      )
      assert.deepEqual(
        found.map(({ day }: Json) => day),
        expected,
      )
      assert.deepEqual(
        found.map(({ requests }: Json) => requests),
        [...Array(days - 1).fill(0), 1],
      )
    }
    assert.equal((await get(`${at}/usage`)).days.length, 30)
  })

  it('survives a restart without losing a request', async () => {
    const { at, call } = await newFleet('Restarted')
    for (let i = 0; i < 4; i++) await call('/objects')
    const before = await today(at)
    await Promise.all([call('/ping'), call('/objects'), call('/objects')])
    await console.restart()
    const after = await today(at)
    assert.equal(before.requests, 4)
    assert.ok(after.requests === 6 || after.requests === 7, `${after.requests}`)
    const lists = after.answers.filter(({ operation }: Json) => operation === 'listObjects')
    assert.deepEqual(lists, [{ operation: 'listObjects', status: 200, requests: 6 }])
  })

  it('is still counted after the deletion of an organization with counted keys', async () => {
    const [gone, left] = [await newFleet('Gone'), await newFleet('Left')]
    await Promise.all([gone.call('/objects'), left.call('/objects')])
    await operator.delete(gone.at)
    await left.call('/objects')
    assert.equal((await today(left.at)).requests, 2)
  })
})

describe('Quota', () => {
  it('lists the objects that were charged today, the most charged first', async () => {
    const { at, call } = await newFleet('Charged', { daily_quota: 3, maximum_age: 36_500 })
    const ids: number[] = []
    for (const ident of ['a', 'b', 'c', 'd']) {
      ids.push((await post(`${at}/objects`, { name: ident.toUpperCase(), ident })).id)
    }
    const [a, b, c] = ids
    const { secret } = await post(`${at}/feed-tokens`, { name: 'x' })
    const rows = ['a', 'b', 'c', 'd'].map((ident) => {
      // The last object sends a fix that it recorded ten years ago.
      const time = ident === 'd' ? '2016-11-20T08:00:00Z' : Date.now()
      return { ident, time_device: time, latitude: 1, longitude: 1, speed: 50 }
    })
    await postRows(console.server.feed, secret, rows)
    const moving = (await get(`${at}/objects`)).items.map(({ motion }: Json) => motion)
    assert.deepEqual(moving, ['moving', 'moving', 'moving', 'no_signal'])
    assert.deepEqual((await get(`${at}/quota`)).items, [])
    for (const asked of [`${b}`, `${b},${a}`, `${b}`, `${b}`, `${c}`]) {
      await call(`/positions/latest?ids=${asked}`)
    }
    // Shared counters lag a moment behind.
    const giveUpAt = Date.now() + 10_000
    const hasAll = async () => (await get(`${at}/quota`)).items[0]?.used === 3
    while (!(await hasAll())) assert.ok(Date.now() < giveUpAt, 'the charges did not appear')
    const { limit, resets_at, items, charged } = await get(`${at}/quota`)
    const midnight = new Date()
    midnight.setUTCHours(24, 0, 0, 0)
    assert.deepEqual([limit, resets_at, charged], [3, midnight.toISOString(), 3])
    assert.deepEqual(items, [
      { object: b, name: 'B', ident: 'b', used: 3, remaining: 0 },
      { object: a, name: 'A', ident: 'a', used: 1, remaining: 2 },
      { object: c, name: 'C', ident: 'c', used: 1, remaining: 2 },
    ])
    const first = await get(`${at}/quota?limit=1`)
    assert.deepEqual([first.items.length, first.charged], [1, 3])
    const { quota_used, objects_exhausted, objects, objects_seen_today } = await get(at)
    assert.deepEqual([quota_used, objects_exhausted, objects, objects_seen_today], [3, 1, 4, 3])
    await patch(at, { daily_quota: 2 })
    const lower = await get(`${at}/quota`)
    assert.deepEqual(lower.items[0].remaining, 0)
    await patch(at, { daily_quota: null })
    const none = await get(`${at}/quota`)
    assert.equal(none.limit, null)
    for (const each of none.items) assert.equal(each.remaining, null)
    assert.equal((await get(at)).quota_used, null)
  })

  it('shows hundredths in whole units: the used ones rounded up, the remaining ones down', async () => {
    const { at, key, call } = await newFleet('Hundredths', { daily_quota: 5 })
    const ids: number[] = []
    for (const ident of ['a', 'b', 'c']) {
      ids.push((await post(`${at}/objects`, { name: ident, ident })).id)
    }
    const [a, b, c] = ids
    const changes = `/changes?ids=${a},${b}&types=positions`
    const headers = { 'x-api-key': key }
    const begun = await request(console.server.api, `${PREFIX}${changes}&from=now`, { headers })
    const { secret } = await post(`${at}/feed-tokens`, { name: 'x' })
    const row = { time_device: Date.now(), latitude: 1, longitude: 1 }
    const rows = ['a', 'b', 'c'].map((ident) => ({ ...row, ident }))
    await postRows(console.server.feed, secret, rows)
    for (let i = 0; i < 4; i += 1) await call(`/positions/latest?ids=${a},${c}`)
    // A position of a page of changes costs a hundredth of a unit.
    const { cursor } = begun.json.result
    assert.equal(await call(`${changes}&cursor=${cursor}`), 200)
    const isCounted = async () => (await get(`${at}/quota`)).items.length === 3
    for (const giveUpAt = Date.now() + 10_000; !(await isCounted()); ) {
      assert.ok(Date.now() < giveUpAt, 'the charges did not appear')
    }
    const { items } = await get(`${at}/quota`)
    assert.deepEqual(
      items.map(({ object, used, remaining }: Json) => [object, used, remaining]),
      [
        [a, 5, 0],
        [c, 4, 1],
        [b, 1, 4],
      ],
    )
    const { quota_used, objects_exhausted } = await get(at)
    assert.deepEqual([quota_used, objects_exhausted], [5, 1])
  })
})
