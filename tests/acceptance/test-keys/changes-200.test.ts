import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { type Events, openEvents } from '../harness/events.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'
import { testKey } from '../harness/test-key.ts'

const fleet = await startFleet()
const own = fleet.take()
/** Packets arrive every 15 s. */
const PATIENCE_MS = 40_000
const ARRIVE_MS = 16_000

describe('Changes of the simulated fleet', () => {
  it('reach a request that waits', async () => {
    const caller = await testKey(fleet, own)
    let { cursor } = resultOf(await caller.get('/changes?from=now'))
    let changes: Json[] = []
    for (let tries = 0; changes.length === 0 && tries < 3; tries += 1) {
      const waiting = caller.get(`/changes?wait=25&cursor=${cursor}`)
      // The one before it is held when this one is answered.
      resultOf(await caller.get('/sites'))
      await own.time.pass(ARRIVE_MS)
      const page = resultOf(await waiting)
      cursor = page.cursor
      changes = page.changes
    }
    assert.ok(changes.some(({ type }) => type === 'position'))
  })

  it('reach a stream, which continues from its cursor', async () => {
    const { key } = await testKey(fleet, own)
    const headers = { 'x-api-key': key, accept: 'text/event-stream' }
    const url = `${fleet.server.api}${PREFIX}/changes?from=now&types=positions`
    const first = await opened(url, headers)
    await own.time.pass(ARRIVE_MS)
    const event = await first.until(({ data }) => data.changes.length > 0)
    first.close()
    const second = await opened(url, { ...headers, 'last-event-id': event.id! })
    await own.time.pass(ARRIVE_MS)
    const next = await second.until(({ data }) => data.changes.length > 0)
    second.close()
    assert.ok(next.data.as_of > event.data.as_of)
  })

  it('make with a whole history the same fleet that lists show', async () => {
    const caller = await testKey(fleet, own)
    const positions = new Map<string, Json>()
    let cursor = ''
    for (let hasMore = true; hasMore; ) {
      const from = cursor === '' ? 'from=history&ids=4&types=positions' : `cursor=${cursor}`
      const page = resultOf(await caller.get(`/changes?limit=10000&${from}`))
      for (const { type, op, position } of page.changes as Json[]) {
        assert.ok(type !== 'position' || op === 'put')
        if (type === 'position') positions.set(position.time_device, position)
      }
      ;({ cursor, has_more: hasMore } = page)
    }
    const times = [...positions.keys()].sort()
    const range = `from_time=${times[0]}&to_time=${times.at(-1)}`
    const rows = resultOf(await caller.get(`/objects/4/positions?${range}`)) as Json[]
    // A late packet may have arrived since.
    assert.ok(rows.length - times.length <= 2)
    assert.deepEqual(
      rows.filter((row) => positions.has(row.time_device)),
      times.map((time) => positions.get(time)),
    )
  })
})

async function opened(url: string, headers: Record<string, string>): Promise<Events> {
  const events = await openEvents(url, headers, PATIENCE_MS)
  if ('status' in events) throw new Error(`${events.status} of the stream`)
  return events
}
