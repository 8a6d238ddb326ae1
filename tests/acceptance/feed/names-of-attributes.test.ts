import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
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

/** Packets with so many names, a few hundred in each. */
const packetsOf = (ident: string, count: number) =>
  Array.from({ length: Math.ceil(count / 200) }, (_, packet) =>
    row(
      ident,
      packet,
      named(
        Array.from(
          { length: Math.min(200, count - packet * 200) },
          (_, n) => `io${packet * 200 + n}`,
        ),
      ),
    ),
  )

describe('Names of attributes', () => {
  it('are kept as a tracker sends them, also after it has sent more than a hundred', async () => {
    // A tracker with a CAN bus sent 66 names, three at a time, and then others after an update.
    const packets = Array.from({ length: 40 }, (_, minute) =>
      row('can', minute, named([0, 1, 2].map((n) => `io${500 + minute * 3 + n}`))),
    )
    const sender = await senderWith(fleet, packets)
    const update = row('can', 40, { fuelLevel: 61, driverUniqueId: '0A', io500: 7 })
    assert.equal((await sender.post([update])).unread, undefined)
    const org = ['--org', String(sender.id)]
    const { sent } = await fleet.json('attributes', 'list', ...org)
    assert.equal(sent.length, 122)
    await fleet.run('attributes', 'publish', '--all', '--except', 'io501', '--yes', ...org)
    const range = new URLSearchParams({
      from_time: new Date(START).toISOString(),
      to_time: update.time_device,
      attributes: 'fuel_level,driver,io500,io619',
    })
    const rows = resultOf(await sender.get(`/objects/${sender.ids[0]}/positions?${range}`))
    assert.deepEqual(
      [rows[0], rows[39], rows[40]].map(({ attributes }) => attributes),
      [{ io500: 1 }, { io619: 1 }, { fuel_level: 61, driver: '0A', io500: 7 }],
    )
  })
})

describe('Names of attributes beyond a limit', () => {
  it('are in the answer, on the object and in a metric, which names those that are known', async () => {
    const sender = await senderWith(fleet, packetsOf('bus', 1_022))
    const org = ['--org', String(sender.id)]
    const update = row('bus', 22, { fuelLevel: 61, driverUniqueId: '0A', secret: 1, io500: 7 })
    const both = await sender.post([
      row('bus', 21, named(['io1022', 'io1023', 'io1024', 'io1025'])),
      { ...update, hdop: 'x' },
    ])
    const message =
      'the position was stored without its attributes: an object can have 1,024 attribute names, or 64 once all objects of the organization have 1,000,000 together'
    assert.deepEqual(both, {
      ...{ stored: 2, duplicate: 0, conflict: 0, rejected: 0, rejects: [] },
      unread: [
        { index: 0, ident: 'bus', fields: ['io1024', 'io1025'], message },
        { index: 1, ident: 'bus', fields: ['hdop'] },
        { index: 1, ident: 'bus', fields: ['driverUniqueId', 'fuelLevel', 'secret'], message },
      ],
    })
    const object = String(sender.ids[0])
    const notes = await fleet.json('objects', 'rejects', ...org, object)
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
    // A forgotten name keeps its place among those of the object.
    await fleet.json('attributes', 'forget', '--all', '--yes', ...org)
    const [unread] = (await sender.post([row('bus', 23, { fuelLevel: 60, io500: 8 })])).unread
    assert.deepEqual(unread.fields, ['fuelLevel'])
  })

  it('have room as sources of the catalogue', async () => {
    const sender = await senderWith(fleet, packetsOf('lorry', 5))
    const org = ['--org', String(sender.id)]
    const sources = ['--sources', 'fuelLevel,tank,io7']
    await fleet.json('attributes', 'set', 'fuel', ...sources, '--is-public', ...org)
    const { unread } = await sender.post(
      packetsOf('lorry', 1_100).map((each, n) => ({
        ...each,
        time_device: new Date(START + (n + 10) * MINUTE_MS).toISOString(),
      })),
    )
    assert.equal(unread.length, 1)
    // Two places are left for the two sources that the object lacks.
    assert.equal(unread[0].fields.length, 1_100 - 1_022)
    assert.equal(
      (await sender.post([row('lorry', 20, { fuelLevel: 5, tank: 6 })])).unread,
      undefined,
    )
    const [more] = (await sender.post([row('lorry', 21, { more: 1 })])).unread
    assert.deepEqual(more.fields, ['more'])
  })

  it('are those of an organization too, and a name gets room as a source of its catalogue', async () => {
    const rows = Array.from({ length: 32 }, (_, bus) =>
      row(`bus ${bus}`, 0, named(Array.from({ length: 63 }, (_, n) => `b${bus * 63 + n}`))),
    )
    const sender = await senderWith(fleet, rows)
    const packet = (minute: number) => row('bus 0', minute, { fuel: 50, b0: 2 })
    const [unread] = (await sender.post([packet(1)])).unread
    assert.deepEqual(unread.fields, ['fuel'])
    assert.match(unread.message, /an organization can have 2,000 attribute names/)
    const org = ['--org', String(sender.id)]
    const forgotten = await fleet.json('attributes', 'forget', 'b7', 'b9', '--yes', ...org)
    assert.deepEqual(forgotten, ['b7', 'b9'])
    assert.equal((await sender.post([row('bus 0', 3, { one: 1, b9: 2 })])).unread, undefined)
    const [again] = (await sender.post([row('bus 0', 4, { b7: 1, b0: 2 })])).unread
    assert.deepEqual(again.fields, ['b7'])
    await fleet.json('attributes', 'set', 'fuel', '--sources', 'fuel', '--is-public', ...org)
    assert.equal((await sender.post([packet(2)])).unread, undefined)
  })
})
