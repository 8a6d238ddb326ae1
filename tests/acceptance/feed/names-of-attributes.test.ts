import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { senderWith } from '../harness/sender.ts'

const fleet = await startFleet()
const MINUTE_MS = 60_000
const START = Date.now() - 60 * MINUTE_MS

function row(ident: string, minute: number, attributes: Json): Json {
  const time_device = new Date(START + minute * MINUTE_MS).toISOString()
  return { ident, time_device, latitude: 41, longitude: 2, attributes }
}

const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 1]))

describe('Names of attributes beyond a limit', () => {
  it('are in the answer, on the object and in a metric, which names those that are known', async () => {
    // A tracker with a CAN bus sent 66 names, three at a time, and then others after an update.
    const packets = Array.from({ length: 22 }, (_, minute) =>
      row('can', minute, named([0, 1, 2].map((n) => `io${500 + minute * 3 + n}`))),
    )
    const sender = await senderWith(fleet, packets.slice(0, 21))
    const update = row('can', 22, { fuelLevel: 61, driverUniqueId: '0A', secret: 1, io500: 7 })
    const both = await sender.post([packets[21], { ...update, hdop: 'x' }])
    const message =
      'the position is stored without attributes, because its object has 64 names of them, the most that it can have'
    assert.deepEqual(both, {
      ...{ stored: 2, duplicate: 0, conflict: 0, rejected: 0, rejects: [] },
      unread: [
        { index: 0, ident: 'can', fields: ['io564', 'io565'], message },
        { index: 1, ident: 'can', fields: ['hdop'] },
        { index: 1, ident: 'can', fields: ['driverUniqueId', 'fuelLevel', 'secret'], message },
      ],
    })
    const object = String(sender.ids[0])
    const notes = await fleet.json('objects', 'rejects', '--org', String(sender.id), object)
    assert.deepEqual(
      notes.map(({ reason, stored }: Json) => [reason, stored]),
      [
        ['limit_of_object_names', true],
        ['unreadable_value', true],
        ['limit_of_object_names', true],
      ],
    )
    assert.equal(notes[0].message, `${message}: driverUniqueId, fuelLevel, secret`)
    const { text } = await request(fleet.server.admin, '/metrics')
    const counted = (name: string) =>
      new RegExp(
        `dropped_attributes_total\\{format="positions",limit="limit_of_object_names",name="${name}"\\} (\\d+)`,
      ).exec(text)?.[1]
    assert.deepEqual(['fuelLevel', 'driverUniqueId', 'io', 'other'].map(counted), [
      ...['1', '1', '2', '1'],
    ])
    assert.doesNotMatch(text, /secret/)
  })

  it('are those of an organization too, and a name gets room as a source of its catalogue', async () => {
    const rows = Array.from({ length: 32 }, (_, bus) =>
      row(`bus ${bus}`, 0, named(Array.from({ length: 63 }, (_, n) => `b${bus * 63 + n}`))),
    )
    const sender = await senderWith(fleet, rows)
    const packet = (minute: number) => row('bus 0', minute, { fuel: 50, b0: 2 })
    const [unread] = (await sender.post([packet(1)])).unread
    assert.deepEqual(unread.fields, ['fuel'])
    assert.match(unread.message, /the organization has 2,000 names/)
    const org = ['--org', String(sender.id)]
    await fleet.json('attributes', 'set', 'fuel', '--sources', 'fuel', '--is-public', ...org)
    assert.equal((await sender.post([packet(2)])).unread, undefined)
  })
})
