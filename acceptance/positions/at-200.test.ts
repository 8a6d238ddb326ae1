import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { FIXES, IDENTS, NAMES, positionRow } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('GET /positions/at: 200', () => {
  const organization = fleet.take()
  const { van, truck, silent } = organization.objects
  const at = async (time: string, ids: string, more = '') =>
    resultOf(await organization.get(`/positions/at?time=${time}&ids=${ids}${more}`)) as Json[]
  const none = (id: number, name: 'van' | 'truck' | 'silent') => ({
    ...{ id, ident: IDENTS[name], name: NAMES[name] },
    ...{ latitude: null, longitude: null, altitude: null, angle: null, speed: null },
    ...{ time_server: null, time_device: null },
    ...{ engine_hours: null, odometer: null, mileage: null, address: null },
  })

  it('shows the newest position at or before the moment, in the order asked', async () => {
    const rows = await at('2024-05-06T08:00:45Z', `${truck},${silent},${van}`)
    const expected = [positionRow(FIXES.truck[1]!, truck), none(silent, 'silent')]
    assert.deepEqual(rows, [...expected, positionRow(FIXES.van[0]!, van)])
    assert.deepEqual(Object.keys(rows[1]!), Object.keys(rows[0]!))
  })

  it('includes the position of that very millisecond', async () => {
    const time = FIXES.van[5]!.time_device
    assert.deepEqual(await at(time, String(van)), [positionRow(FIXES.van[5]!, van)])
    const before = new Date(Date.parse(time) - 1).toISOString()
    assert.deepEqual(await at(before, String(van)), [positionRow(FIXES.van[4]!, van)])
  })

  it('takes a date as its first millisecond', async () => {
    assert.deepEqual(await at('2024-05-06', String(van)), [none(van, 'van')])
    assert.deepEqual(await at('2024-05-07', String(van)), [positionRow(FIXES.van.at(-1)!, van)])
  })

  it('answers for all objects by id', async () => {
    const rows = await at('2024-05-06T08:00:45Z', 'all')
    assert.deepEqual(
      rows.map(({ id }) => id),
      Object.values(organization.objects),
    )
  })

  it('adds the fields of quality and the exact counters after the 14', async () => {
    const [row, absent] = await at('2024-05-07', `${van},${silent}`, '&include=quality,exact')
    assert.deepEqual(
      [row!.ignition, row!.motion, row!.late, row!.address_source],
      [false, 'stopped', false, 'last_known'],
    )
    assert.deepEqual(Object.keys(absent!), Object.keys(row!))
    assert.deepEqual(Object.values(absent!.exact), [null, null, null])
  })
})
