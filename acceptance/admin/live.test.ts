import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ADMIN, assertError, startConsole } from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import { watch } from '../harness/events.ts'
import type { Json } from '../harness/fleetgate.ts'
import { FEED_PREFIX } from '../harness/sender.ts'

const console = await startConsole()
const { operator, origin } = console
const { get, post, patch } = operator

/** An organization with this many objects, each of which has sent where it is. */
async function fleetOf(name: string, count: number) {
  const { id } = await post('/organizations', { name, create_objects: true })
  const { secret } = await post(`/organizations/${id}/feed-tokens`, { name: 'x' })
  const send = async (ident: string, longitude: number, more: object = {}) => {
    const row = { ident, time_device: Date.now(), latitude: 1, longitude, speed: 50, ...more }
    const headers = { 'x-feed-token': secret }
    const sent = { method: 'POST', body: JSON.stringify([row]), headers }
    const answer = await request(console.server.feed, `${FEED_PREFIX}/positions`, sent)
    assert.equal(answer.status, 200, answer.text)
  }
  for (let i = 0; i < count; i++) await send(`o${i}`, i)
  const items: Json[] = (await get(`/organizations/${id}/objects`)).items
  return { id, send, ids: items.map((each) => each.id as number) }
}

describe('Who watches an organization', () => {
  it('is told first of all that have a position, then of what moves, then of what is gone', async () => {
    const { id, send, ids } = await fleetOf('Live', 3)
    await post(`/organizations/${id}/objects`, { name: 'silent', ident: 'silent' })
    const events = await watch(console, id)
    const first = (await events.next())!
    assert.equal(first.event, 'objects')
    assert.deepEqual(
      first.data.items.map(([object, longitude]: Json) => [object, longitude]),
      ids.map((object, i) => [object, i]),
    )
    await send('o1', 1.0001, { angle: 90 })
    const second = (await events.next())!
    const [[object, longitude, latitude, angle, speed, motion, time], ...more] = second.data.items
    assert.deepEqual(more, [])
    assert.deepEqual([object, longitude, latitude, angle], [ids[1], 1.0001, 1, 90])
    assert.deepEqual([speed, motion], [50, 'moving'])
    assert.ok(Math.abs(time - Date.now()) < 60_000)
    await operator.delete(`/organizations/${id}/objects/${ids[2]}`)
    const gone = await events.until(({ event }) => event === 'gone')
    assert.deepEqual(gone.data, { ids: [ids[2]] })
    events.close()
  })

  it('is told of an object when it has its first position, and not of who else there is', async () => {
    const [one, other] = [await fleetOf('Mine', 0), await fleetOf('Others', 1)]
    const events = await watch(console, one.id)
    assert.deepEqual((await events.next())!.data, { items: [] })
    await other.send('o0', 5)
    await one.send('new', 7)
    const { data } = (await events.next())!
    assert.deepEqual(
      data.items.map(([, longitude]: Json) => longitude),
      [7],
    )
    events.close()
  })

  it('is told speeds in the unit of the organization', async () => {
    const { id, send } = await fleetOf('Miles', 0)
    await patch(`/organizations/${id}`, { distance_unit: 'mi' })
    await send('o0', 1, { speed: 80.4672 })
    const events = await watch(console, id)
    assert.equal((await events.next())!.data.items[0][4], 50)
    events.close()
  })

  it('is told the same as many others who do, each from the beginning', async () => {
    const { id, send, ids } = await fleetOf('Many', 2)
    const early = await watch(console, id)
    await early.next()
    const many = await Promise.all(Array.from({ length: 50 }, () => watch(console, id)))
    for (const events of many) {
      const { data } = (await events.next())!
      assert.deepEqual(
        data.items.map(([object]: Json) => object),
        ids,
      )
    }
    await send('o0', 0.0001)
    for (const events of [early, ...many]) {
      const { data } = await events.until(({ event }) => event === 'objects')
      assert.deepEqual(
        data.items.map((row: Json) => [row[0], row[1]]),
        [[ids[0], 0.0001]],
      )
    }
    for (const events of [early, ...many]) events.close()
  })

  it('may come and go as often as he likes, also before he is answered', async () => {
    const { id, ids } = await fleetOf('Storm', 1)
    const url = `${ADMIN}/organizations/${id}/live`
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        const aborting = new AbortController()
        const coming = fetch(origin() + url, {
          headers: operator.headers,
          signal: aborting.signal,
        }).catch(() => undefined)
        setImmediate(() => aborting.abort())
        await coming
      }),
    )
    const events = await watch(console, id)
    const { data } = (await events.next())!
    assert.deepEqual(
      data.items.map(([object]: Json) => object),
      ids,
    )
    events.close()
  })

  it('is told no more when the organization is deleted, and let in no more', async () => {
    const { id } = await fleetOf('Deleted', 1)
    const all = await Promise.all([watch(console, id), watch(console, id)])
    for (const events of all) await events.next()
    await operator.delete(`/organizations/${id}`)
    for (const events of all) {
      let event = await events.next()
      while (event !== null) event = await events.next()
    }
    const refused = await request(origin(), `${ADMIN}/organizations/${id}/live`, {
      headers: operator.headers,
    })
    assertError(refused, 404, 'not_found')
  })

  it('does not keep a server from ending', async () => {
    const { id } = await fleetOf('Ending', 1)
    const events = await watch(console, id)
    await events.next()
    await console.restart()
    assert.equal(await events.next(), null)
    const again = await watch(console, id)
    assert.equal((await again.next())!.data.items.length, 1)
    again.close()
  })
})
