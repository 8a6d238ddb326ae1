import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ADMIN, assertError, startConsole } from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import { watch } from '../harness/events.ts'
import type { Json } from '../harness/fleetgate.ts'
import { postRows } from '../harness/sender.ts'

const console = await startConsole()
const { operator, origin } = console
const { get, post, patch } = operator

const HOUR_MS = 3_600_000

/** An organization with this many objects, each with a position. Idents begin with its name, which is its own. */
async function fleetOf(name: string, count: number) {
  const { id } = await post('/organizations', { name, create_objects: true })
  const { secret } = await post(`/organizations/${id}/feed-tokens`, { name: 'x' })
  const send = async (ident: string, longitude: number, more: object = {}) => {
    const row = { ident: `${name} ${ident}`, time_device: Date.now(), latitude: 1, longitude }
    await postRows(console.server.feed, secret, [{ ...row, speed: 50, ...more }])
  }
  for (let i = 0; i < count; i++) await send(`o${i}`, i)
  const items: Json[] = (await get(`/organizations/${id}/objects`)).items
  return { id, send, ids: items.map((each) => each.id as number) }
}

describe('The live stream of an organization', () => {
  it('sends all positions first, then moves, then removals', async () => {
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

  it('sends an object at its first position, and no objects of other organizations', async () => {
    const [one, other] = [await fleetOf('Mine', 0), await fleetOf('Others', 1)]
    const events = await watch(console, one.id)
    assert.deepEqual((await events.next())!.data, { items: [] })
    await other.send('o0', 5)
    await one.send('new', 7)
    const { data } = await events.until(({ event }) => event === 'objects')
    assert.deepEqual(
      data.items.map(([, longitude]: Json) => longitude),
      [7],
    )
    events.close()
  })

  it('sends an object that falls silent, without a packet, and again with its next packet', async () => {
    const { id, send } = await fleetOf('Silence', 2)
    const events = await watch(console, id)
    await events.next()
    await patch(`/organizations/${id}`, { signal_timeout_hours: 1 })
    // Its tracker recorded this almost an hour ago.
    await send('new', 5, { time_device: Date.now() - HOUR_MS + 8_000 })
    const nextMotions = async () => {
      const { data } = await events.until(({ event }) => event === 'objects')
      return data.items.map((row: Json) => [row[1], row[5]])
    }
    assert.deepEqual(await nextMotions(), [[5, 'moving']])
    const sentAt = Date.now()
    assert.deepEqual(await nextMotions(), [[5, 'no_signal']])
    assert.ok(Date.now() - sentAt < 20_000)
    await send('new', 5.01)
    assert.deepEqual(await nextMotions(), [[5.01, 'moving']])
    events.close()
  })

  it('tells when lists of objects are outdated, and not for packets', async () => {
    const { id, send, ids } = await fleetOf('Lists', 2)
    const events = await watch(console, id)
    await events.next()
    await send('o0', 0.0001)
    assert.equal((await events.next())!.event, 'objects')
    const change = [
      () => patch(`/organizations/${id}/objects/${ids[0]}`, { name: 'Renamed' }),
      () => post(`/organizations/${id}/objects`, { name: 'Added', ident: 'added' }),
    ]
    for (const each of change) {
      await each()
      const { event, data } = (await events.next())!
      assert.deepEqual([event, data], ['settings', {}])
    }
    await operator.delete(`/organizations/${id}/objects/${ids[1]}`)
    assert.equal((await events.next())!.event, 'gone')
    assert.equal((await events.next())!.event, 'settings')
    events.close()
  })

  it('allows clients to connect and disconnect at any rate, even before the answer', async () => {
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

  it('ends when the organization is deleted, and cannot be opened again', async () => {
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

  it("does not delay the server's shutdown", async () => {
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
