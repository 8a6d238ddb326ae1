import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openConnection } from './answering-server.fixture.ts'
import { records } from './records.ts'

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

it('an empty list and a malformed id are refused before anything is asked', async (t) => {
  const { connection, asked } = await openConnection(t, (response) => response.end())
  for (const wrong of [{ ids: [] }, { sites: [] }, { geofences: [-1] }, { ids: [1.5] }]) {
    await assert.rejects(Array.fromAsync(records(connection, 'visits', { ...RANGE, ...wrong })))
  }
  assert.equal(asked(), 0)
})
