import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { request } from '../harness/client.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { driven } from '../trips/records-fleet.ts'
import { BIN, call, environment, newClient, overStdio } from './tools-client.ts'

const DAY = { from: '2026-05-04', to: '2026-05-04' }
const fleet = await startFleet()
const own = await driven(fleet, ['M-1', 'M-2'])
const [first, second] = own.ids as [number, number]

describe('fleetgate mcp over stdio', () => {
  let client: Client
  before(async () => {
    client = await overStdio(fleet.server.api, own.key)
  })
  after(() => client.close())

  it('has seven tools that only read, each with a description and a bounded input', async () => {
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name }) => name),
      [
        'find_vehicles',
        'where_is',
        'vehicles_near',
        'trips_and_stops',
        'day_totals',
        'who_was_at',
        'usage',
      ],
    )
    for (const { description, annotations } of tools) {
      assert.ok(description!.length > 50)
      assert.equal(annotations?.readOnlyHint, true)
    }
  })

  it('finds vehicles by a text', async () => {
    const { count, vehicles } = await call(client, 'find_vehicles', { text: 'm-2' })
    assert.deepEqual([count, vehicles[0].id], [1, second])
  })

  it('tells where vehicles are, now and at a moment, and which are near', async () => {
    const { vehicles } = await call(client, 'where_is', { ids: [first] })
    assert.equal(vehicles[0].address, 'At 2000 m')
    const at = '2026-05-04T00:05:00Z'
    const before = await call(client, 'where_is', { ids: [first], at })
    assert.equal(before.vehicles[0].address, 'At 0 m')
    const place = { latitude: 41, longitude: 2, radius_km: 3 }
    const near = await call(client, 'vehicles_near', place)
    assert.deepEqual(near.vehicles.map(({ id }: Json) => id).sort(), [first, second].sort())
    assert.ok(near.vehicles.every(({ distance_km }: Json) => Math.abs(distance_km - 2) < 0.05))
    const none = await call(client, 'vehicles_near', { ...place, radius_km: 1.5 })
    assert.equal(none.count, 0)
  })

  it('tells trips and stops of a day', async () => {
    const { trips, stops, rows, left_out, to_continue } = await call(client, 'trips_and_stops', {
      ...{ id: first, ...DAY, limit: 2 },
    })
    assert.deepEqual([trips, stops, left_out], [1, 2, 1])
    assert.match(to_continue, /1 of 3 rows are left out\. Call again with skip=2/)
    const kinds = rows.map(({ kind }: Json) => kind)
    assert.deepEqual([...kinds, rows[1].to], ['stop', 'trip', 'At 2000 m'])
  })
})

describe('fleetgate mcp', () => {
  it('tells who was at a place, what is left, and what the API refuses', async (t) => {
    const { key, ids } = await driven(fleet, ['M-3'])
    const client = await overStdio(fleet.server.api, key)
    t.after(() => client.close())
    const { places, vehicles } = await call(client, 'who_was_at', { place: 'DEPOT', ...DAY })
    assert.deepEqual(places, [{ name: 'Depot', geofences: 0, sites: 1, vehicles: 1 }])
    assert.equal(vehicles[0].id, ids[0])
    const used = await call(client, 'usage')
    assert.equal(used.window.limit, 10)
    assert.ok(used.vehicles.some(({ name }: Json) => name === 'M-3'))
    const { refused } = await call(client, 'where_is', { ids: [first] })
    assert.match(refused, /No vehicle has the id \d+ .* find_vehicles/)
    const wrong = await call(client, 'where_is', { ids: [] })
    assert.match(wrong.refused, /ids/)
  })

  it('serves HTTP to callers with keys of their own, and to no other site', async (t) => {
    const child = spawn(process.execPath, [BIN, '--http', '0'], {
      env: environment(fleet.server.api),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => child.kill())
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    const { mcp } = JSON.parse(line)
    const client = newClient()
    const [other] = fleet.full
    const headers = { authorization: `Bearer ${other!.key}` }
    await client.connect(
      new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers } }),
    )
    const { vehicles } = await call(client, 'find_vehicles')
    assert.ok(vehicles.some(({ id }: Json) => id === other!.objects.van))
    await client.close()
    const { origin, pathname } = new URL(mcp)
    const statusWith = async (more: Record<string, string>) =>
      (await request(origin, pathname, { method: 'POST', headers: more, body: '{}' })).status
    assert.equal(await statusWith({}), 401)
    assert.equal(await statusWith({ ...headers, host: 'evil.example.com' }), 403)
    assert.equal(await statusWith({ ...headers, origin: 'https://evil.example.com' }), 403)
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'exit'), [0, null])
  })
})
