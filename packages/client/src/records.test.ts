import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openConnection } from './answering-server.fixture.ts'
import { coverage, days, records } from './records.ts'

const RANGE = { from: new Date(0), to: '2026-11-20' }

it('records come page by page, with the parameters that were given', async (t) => {
  const urls: string[] = []
  const { connection } = await openConnection(t, (response, asked, { url }) => {
    urls.push(url!)
    if (asked === 1) response.setHeader('link', '</public/v1/visits?cursor=abc>; rel="next"')
    response.end(`{"statusCode":200,"result":[{"id":${asked}}]}`)
  })
  const range = { ...RANGE, ids: [1, 2], sites: new Set([3]), minDuration: 60, pageSize: 1 }
  const found = await Array.fromAsync(records<{ id: number }>(connection, 'visits', range))
  assert.deepEqual(
    found.map(({ id }) => id),
    [1, 2],
  )
  const [first, second] = urls.map((url) => new URL(url, 'http://x'))
  assert.deepEqual(Object.fromEntries(first!.searchParams), {
    from_time: '1970-01-01T00:00:00.000Z',
    to_time: '2026-11-20',
    ids: '1,2',
    sites: '3',
    min_duration: '60',
    limit: '1',
  })
  assert.equal(second!.search, '?cursor=abc')
})

it('days come page by page, also behind an empty page', async (t) => {
  const urls: string[] = []
  const { connection } = await openConnection(t, (response, asked, { url }) => {
    urls.push(url!)
    if (asked < 3) response.setHeader('link', `</public/v1/days?cursor=${asked}>; rel="next"`)
    response.end(`{"statusCode":200,"result":[${asked === 2 ? '' : `{"trips":${asked}}`}]}`)
  })
  const range = { from: '2026-11-20', to: '2026-11-21', timeZone: 'Europe/Madrid', ids: [7] }
  const found = await Array.fromAsync(days<{ trips: number }>(connection, range))
  assert.deepEqual(
    found.map(({ trips }) => trips),
    [1, 3],
  )
  assert.deepEqual(Object.fromEntries(new URL(urls[0]!, 'http://x').searchParams), {
    ...{ from_date: '2026-11-20', to_date: '2026-11-21', tz: 'Europe/Madrid', ids: '7' },
  })
  assert.equal(new URL(urls[2]!, 'http://x').search, '?cursor=2')
})

it('an empty list and a malformed id are refused before anything is asked', async (t) => {
  const { connection, asked } = await openConnection(t, (response) => response.end())
  for (const wrong of [{ ids: [] }, { sites: [] }, { geofences: [-1] }, { ids: [1.5] }]) {
    assert.throws(() => records(connection, 'visits', { ...RANGE, ...wrong }), TypeError)
  }
  assert.throws(() => days(connection, { from: 'a', to: 'b', ids: [] }), TypeError)
  assert.equal(asked(), 0)
})

it('rows reject with the reason of the signal, also while an answer is under way', async (t) => {
  const { connection } = await openConnection(t, (response) => {
    response.write('{"statusCode":200,"result":[{"id":1},')
  })
  const leaving = new AbortController()
  const reason = new Error('enough')
  const rows = records<{ id: number }>(connection, 'trips', { ...RANGE, signal: leaving.signal })
  assert.deepEqual((await rows.next()).value, { id: 1 })
  const next = rows.next()
  leaving.abort(reason)
  await assert.rejects(next, reason)
})

it('coverage, which charges nothing, is asked for again without an answer; records are not', async (t) => {
  const { connection, asked } = await openConnection(t, (response, count) => {
    if (count === 2) response.end('{"statusCode":200,"result":[{"positions":1}]}')
    else response.destroy()
  })
  const range = { from: '2026-11-20', to: '2026-11-20' }
  assert.deepEqual(await Array.fromAsync(coverage(connection, range)), [{ positions: 1 }])
  await assert.rejects(Array.fromAsync(records(connection, 'trips', RANGE)), /no response/)
  assert.equal(asked(), 3)
})
