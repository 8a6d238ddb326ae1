import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readXlsx } from 'hucre/xlsx'
import { request } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'
import { allPages, nextOf } from '../harness/pages.ts'
import { DAYS, leaveUnread, MONTH, MONTH_OF_DAYS, month, OBJECTS, readAll } from './month.ts'

const fleet = await startFleet()
const own = await month(fleet)
const list = async () => resultOf(await own.get('/objects')) as { id: number; ident: string }[]
const ids = (await list()).filter(({ ident }) => ident.startsWith('month-')).map(({ id }) => id)

/** Each operation with its rows of the month. */
const OPERATIONS: Record<string, { path: string; rows: number }> = {
  trips: { path: `/trips?${MONTH}&ids=${ids}`, rows: OBJECTS * DAYS },
  days: { path: `/days?${MONTH_OF_DAYS}`, rows: OBJECTS * DAYS },
  positions: { path: `/positions?ids=all&${MONTH}`, rows: OBJECTS * DAYS * 4 },
}

describe('An answer without a limit', () => {
  for (const [name, { path, rows }] of Object.entries(OPERATIONS)) {
    it(`has all ${name} of a month, as its pages have them`, async () => {
      const whole = await own.get(path)
      assert.equal(nextOf(whole), undefined)
      const pages = await allPages(own.get, `${path}&limit=1000`)
      assert.ok(pages.answers.length > 3)
      assert.equal(pages.rows.length, rows)
      assert.deepEqual(resultOf(whole), pages.rows)
      const hasUntil = whole.headers['x-records-until'] !== undefined
      assert.equal(hasUntil, name !== 'positions')
    })
  }

  it('is a table of the month in CSV, and has a line for each row in NDJSON', async () => {
    const lines = async (query: string) =>
      (await own.get(OPERATIONS.trips!.path + query)).text.trimEnd().split(/\r?\n/)
    const [header, ...whole] = await lines('&format=csv')
    const paged: string[] = []
    for (let next: string | undefined = `${OPERATIONS.trips!.path}&format=csv&limit=1000`; next; ) {
      const answer = await own.get(next)
      const [head, ...rows] = answer.text.trimEnd().split('\r\n')
      assert.equal(head, header)
      paged.push(...rows)
      next = nextOf(answer)
    }
    assert.deepEqual(whole, paged)
    assert.equal(whole.length, OBJECTS * DAYS)
    const ndjson = (await lines('&format=ndjson')).map((line) => JSON.parse(line))
    assert.deepEqual(ndjson, resultOf(await own.get(OPERATIONS.trips!.path)))
  })

  it('is a sheet with a row for each in xlsx', async () => {
    for (const { path, rows } of Object.values(OPERATIONS)) {
      const { sheets } = await readXlsx((await own.get(`${path}&format=xlsx`)).bytes)
      assert.deepEqual([sheets.length, sheets[0]!.rows.length], [1, rows + 1])
    }
  })

  it('is a feature of each row in GeoJSON, and a track of each object in GPX and KML', async () => {
    const { features } = JSON.parse(
      (await own.get(`${OPERATIONS.trips!.path}&format=geojson`)).text,
    )
    assert.equal(features.length, OBJECTS * DAYS)
    const some = `/positions?ids=${ids.slice(0, 3)}&${MONTH}`
    for (const [format, track] of [
      ['gpx', /<trkseg>/g],
      ['kml', /<Folder>/g],
    ] as const) {
      assert.equal((await own.get(`${some}&format=${format}`)).text.match(track)?.length, 3, format)
    }
  })

  it('has what its pages have, whatever is asked, with a key of any scope', async () => {
    const issue = (...scope: string[]) =>
      fleet.json('key', 'issue', '--org', String(own.id), '--name', 'scoped', ...scope)
    const times = ['--data-from', '2026-03-05T00:01:30Z', '--data-until', '2026-03-20T00:02:30Z']
    const keys: string[] = [own.key]
    for (const scope of [times, ['--objects', ids.slice(0, 40).join()]]) {
      keys.push((await issue(...scope)).key)
    }
    const anyDay = fc.integer({ min: 1, max: 31 })
    const asked = fc.record({
      key: fc.constantFrom(...keys),
      type: fc.constantFrom('trips', 'stops', 'visits', 'days', 'positions'),
      days: fc.tuple(anyDay, anyDay).map((days) => days.sort((a, b) => a - b)),
      some: fc.option(fc.uniqueArray(fc.constantFrom(...ids.slice(0, 45)), { minLength: 1 })),
      minDuration: fc.constantFrom(0, 0, 60, 3_600),
      step: fc.constantFrom(0, 0, 120),
      limit: fc.integer({ min: 200, max: 2_000 }),
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ key, type, days, some, minDuration, step, limit }) => {
        const get = (path: string) =>
          request(fleet.server.api, PREFIX + path, { headers: { 'x-api-key': key } })
        const [from, to] = days.map((day) => `2026-03-${String(day).padStart(2, '0')}`)
        const unit = type === 'days' ? 'date' : 'time'
        const query = new URLSearchParams({ [`from_${unit}`]: from!, [`to_${unit}`]: to! })
        if (some !== null) query.set('ids', some.join())
        else if (type === 'positions') query.set('ids', 'all')
        if (minDuration > 0 && /stops|visits/.test(type)) {
          query.set('min_duration', String(minDuration))
        }
        if (step > 0 && type === 'positions') query.set('step', String(step))
        const whole = await get(`/${type}?${query}`)
        if (whole.status === 404) return
        const { rows } = await allPages(get, `/${type}?${query}&limit=${limit}`)
        assert.deepEqual(resultOf(whole), rows)
      }),
      { numRuns: 60 },
    )
  })
})

describe('An answer without a limit that nobody reads', () => {
  it('has no object that got its first row meanwhile, and the others as they were', async () => {
    const before: Json[] = resultOf(await own.get(`/positions?ids=all&${MONTH}`))
    const unread = await leaveUnread(fleet, own, `/positions?ids=all&${MONTH}&format=ndjson`)
    await fleet.json('org', 'update', String(own.id), '--create-objects')
    const row = { ident: 'later', time_device: '2026-03-02T00:00:00Z', latitude: 41, longitude: 2 }
    const sent = await request(fleet.server.feed, '/feed/v1/positions', {
      method: 'POST',
      headers: { 'x-feed-token': own.feedToken },
      body: JSON.stringify([row]),
    })
    assert.equal(sent.status, 200)
    const paged = await allPages(own.get, `/positions?ids=all&${MONTH}&limit=10000`)
    assert.equal(paged.rows.length, before.length + 1)
    const rows = (await readAll(unread)).trimEnd().split('\n')
    assert.deepEqual(
      rows.map((line) => JSON.parse(line)),
      before,
    )
  })

  it('is one of two of its organization, over all operations', async () => {
    const paths = ['json', 'gpx'].map((format) => `${OPERATIONS.positions!.path}&format=${format}`)
    const unread = await Promise.all(paths.map((path) => leaveUnread(fleet, own, path)))
    const third = own.get(`/trips?${MONTH}`)
    // No transaction is held for them.
    assert.equal((await own.get(`/trips?${MONTH}&limit=10`)).status, 200)
    assert.equal((await fleet.ask(() => `/trips?${MONTH}`)).status, 200)
    assert.equal(await Promise.race([third, 'waits']), 'waits')
    for (const each of unread) each.destroy()
    assert.equal((await third).status, 200)
  })
})
