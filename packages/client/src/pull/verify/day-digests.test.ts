import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { it } from 'node:test'
import type { StoredPosition } from '../../replica/replica-store.ts'
import { dayDigests } from './day-digests.ts'

const position = (time_device: string): StoredPosition['position'] => ({
  ...{ id: 7, ident: 'I', name: 'N', latitude: 1e-7, longitude: -2.5, altitude: null, angle: 0 },
  ...{ speed: 12.34, time_server: '2026-05-04T00:00:01.000Z', time_device },
  ...{ engine_hours: 1, odometer: 2, mileage: 3, address: null },
  exact: { odometer_mm: 2_000_000, mileage_mm: null, engine_hours_ms: 3_600_000 },
})
const hashOf = (text: string) => BigInt(`0x${createHash('sha256').update(text).digest('hex')}`)

it('the digests of a day are sums of the hashes of rows in the form of RFC 8785', async () => {
  const times = ['2026-05-04T00:00:00.000Z', '2026-05-04T23:59:59.999Z', '2026-05-05T00:00:00.000Z']
  const days = await dayDigests(times.map((time) => ({ position: position(time), asOf: 1 })))
  assert.deepEqual([...days.keys()], ['2026-05-04', '2026-05-05'])
  const sum = (texts: string[]) =>
    (texts.reduce((total, text) => total + hashOf(text), 0n) % 2n ** 256n)
      .toString(16)
      .padStart(64, '0')
  const row = (time: string) =>
    `{"altitude":null,"angle":0,"id":7,"latitude":1e-7,"longitude":-2.5,"speed":12.34,"time_device":"${time}","time_server":"2026-05-04T00:00:01.000Z"}`
  const counters = (time: string) =>
    `{"exact":{"engine_hours_ms":3600000,"mileage_mm":null,"odometer_mm":2000000},"id":7,"time_device":"${time}"}`
  assert.deepEqual(days.get('2026-05-04'), {
    positions: 2,
    digest: sum(times.slice(0, 2).map(row)),
    counters_digest: sum(times.slice(0, 2).map(counters)),
  })
})
