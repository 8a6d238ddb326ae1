import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { Fleetgate } from '../../../packages/client/src/index.ts'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { call, overStdio } from '../mcp/tools-client.ts'
import { RANGE } from '../trips/records-fleet.ts'
import { refrigerated, untilTrips } from './attributes-fleet.ts'

const fleet = await startFleet()

describe('Attributes for programs', async () => {
  const sender = await refrigerated(fleet)
  const { van } = sender
  await untilTrips(sender, 4, RANGE)
  const day = { from: '2026-05-04', to: '2026-05-04' }

  it('come with rows of the client', async () => {
    const client = new Fleetgate({ baseUrl: fleet.server.api, apiKey: sender.key })
    const catalogue = await client.attributes.list()
    assert.deepEqual(
      catalogue.map(({ name }) => name),
      ['door', 'driver', 'fuel_used', 'temperature'],
    )
    const { attributes, attributes_at } = await client.objects.get(van, { attributes: 'all' })
    assert.deepEqual(Object.keys(attributes!), Object.keys(attributes_at!))
    const [latest] = await client.positions.latest([van], { attributes: ['driver'] })
    assert.deepEqual(Object.keys(latest!.attributes!), ['driver'])
    const rows = await Array.fromAsync(
      client.positions.history(van, { ...day, attributes: ['temperature'], include: ['exact'] }),
    )
    assert.ok(rows.every((row) => 'temperature' in row.attributes! && 'exact' in row))
    const trips = await Array.fromAsync(client.trips({ ...day, ids: [van], attributes: 'all' }))
    assert.ok(trips.some((trip) => 'fuel_used' in trip.attributes!))
    const [whole] = await Array.fromAsync(
      client.days({ ...day, ids: [van], attributes: ['fuel_used'] }),
    )
    assert.deepEqual(Object.keys(whole!.attributes!), ['fuel_used'])
    for await (const page of client.changes({
      from: 'history',
      ids: [van],
      types: ['positions'],
      attributes: ['door'],
      live: false,
    })) {
      const positions = page.changes.flatMap((change) =>
        'position' in change ? change.position : [],
      )
      assert.ok(positions.every((position) => 'attributes' in (position as object)))
    }
    await assert.rejects(client.positions.latest([van], { attributes: [] }), TypeError)
  })

  it('come with the answer of where_is', async () => {
    const tools = await overStdio(fleet.server.api, sender.key)
    after(() => tools.close())
    await sender.time.pass(10_000)
    const [latest] = resultOf(await sender.get(`/positions/latest?ids=${van}&include=attributes`))
    const { vehicles } = await call(tools, 'where_is', { ids: [van] })
    assert.deepEqual(vehicles[0].attributes, latest.attributes)
    const older = Object.entries(latest.attributes_at)
      .filter(([, time]) => time !== latest.time_device)
      .map(([name]) => name)
    assert.deepEqual(Object.keys(vehicles[0].attributes_at), older)
  })
})
