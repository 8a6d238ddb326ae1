import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from '../../harness/client.ts'
import { inFolder } from '../../harness/deployment.ts'
import { resultOf } from '../../harness/envelope.ts'
import { fleetgateJson, type Json } from '../../harness/fleetgate.ts'
import { PREFIX } from '../../harness/organization.ts'
import { serve } from '../../harness/server.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'

// The demo has a data folder of its own.
const deployment = inFolder(temporaryFolder())
let server = await serve(deployment, ['--demo'])
after(() => server.stop())
const { key, feed_token: token, curl } = await server.secrets()

const get = async (path: string) =>
  resultOf(await request(server.api, PREFIX + path, { headers: { 'x-api-key': key } }))

const objects: Json[] = await get('/objects')
const idents = objects.map(({ ident }) => ident)

describe('The demo fleet', () => {
  it('prints a key and a token to stderr, and neither to the log on stdout', () => {
    assert.doesNotMatch(JSON.stringify(server.log), /fg_(live|feed)_/)
  })

  it('greets with a vehicle that has moved when the visitor asks again', async () => {
    const id = /\/objects\/(\d+)$/.exec(curl)![1]
    const place = async () => {
      const { latitude, longitude } = await get(`/objects/${id}`)
      return [latitude, longitude]
    }
    const first = await place()
    // The vehicle may wait at a red light first.
    const giveUpAt = performance.now() + 60_000
    let next = first
    while (Math.hypot(next[0] - first[0], next[1] - first[1]) < 0.0005) {
      assert.ok(performance.now() < giveUpAt, 'the vehicle has not moved')
      await wait(2_000)
      next = await place()
    }
  })

  it('continues to drive through the feed', async () => {
    const ids = objects.map(({ id }) => id).join()
    const latest = async (): Promise<Json[]> => get(`/positions/latest?ids=${ids}`)
    const newest = (rows: Json[]) =>
      rows
        .map((row) => row.time_device ?? '')
        .sort()
        .at(-1)
    const before = newest(await latest())
    const giveUpAt = performance.now() + 30_000
    let rows: Json[] = []
    do {
      assert.ok(performance.now() < giveUpAt, 'nobody has reported')
      await wait(2_000)
      rows = await latest()
    } while (newest(rows) === before)
    const moved = rows.find((row) => row.time_device === newest(rows))
    const delay = Date.parse(moved.time_server) - Date.parse(moved.time_device)
    assert.ok(delay >= 0 && delay < 15_000, `it took ${delay} ms`)
    const metrics = await (await fetch(`${server.admin}/metrics`)).text()
    const stored = /fleetgate_feed_rows_total\{[^}]*outcome="stored"[^}]*\} (\d+)/.exec(metrics)
    assert.ok(Number(stored?.[1]) > 0, 'the feed has stored what it drove')
  })

  it('has plausible counters', () => {
    for (const { name, odometer, odometer_type: type, engine_hours: hours } of objects) {
      assert.ok(odometer > 1_000 && odometer < 400_000, `${name}: ${odometer} km`)
      assert.ok(hours > 100 && hours < 20_000, `${name}: ${hours} h, ${type}`)
    }
    assert.equal(new Set(objects.map((object) => object.odometer_type)).size, 2)
  })

  it('accepts a position that the operator sends, for a vehicle or anything else', async () => {
    const silent = objects.find(({ time_server: time }) => time === null)
    for (const ident of [silent.ident, 'my-phone']) {
      const sent = await fetch(
        `${server.feed}/feed/v1/${token}/osmand?id=${ident}&lat=41.4036&lon=2.1744`,
      )
      assert.equal(sent.status, 200)
    }
    const seen = await get(`/objects/${silent.id}`)
    assert.deepEqual([seen.latitude, seen.longitude], [41.4036, 2.1744])
    const all: Json[] = await get('/objects')
    const made = all.find(({ ident }) => !idents.includes(ident))
    assert.equal(made.ident, 'my-phone')
  })

  it('keeps its key and its token at the next start', async () => {
    assert.equal(await server.stop(), 0)
    server = await serve(deployment, ['--demo'])
    const again = await server.secrets()
    assert.deepEqual([again.key, again.feed_token], [key, token])
    for (const kind of ['key', 'feed-token']) {
      const all = await fleetgateJson([kind, 'list', '--org', '1', ...deployment.args])
      const states = all.map(({ name, state }: Json) => [name, state])
      assert.deepEqual(states, [['demo', 'active']])
    }
    assert.equal((await get('/objects')).length, objects.length + 1)
  })
})
