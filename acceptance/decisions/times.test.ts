import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

const history = (query: string) =>
  fleet.ask(({ objects }) => `/objects/${objects.van}/positions?${query}`)
const minutesOf = async (query: string) =>
  resultOf(await history(query)).map((row: Json) => row.time_device.slice(11, 16))

// `time.test.ts` and `history-query.test.ts` of the server have all forms. These are the ones that an address may change.
describe('Requests: time formats', () => {
  for (const moment of [
    ...['2024-05-06T08:02:00.000Z', '2024-05-06T11:02%2B03:00', '2024-05-06T11:02+03:00'],
    ...['20240506T110200%2B0300', '2024-05-06T11:02:00+03', '2024-05-06T08:02:00,000Z'],
  ]) {
    it(`accepts ${moment}`, async () => {
      assert.deepEqual(await minutesOf(`from_time=${moment}&to_time=${moment}`), ['08:02'])
    })
  }

  for (const time of ['2023-02-29', '2023-01-01%2008:00', '%202023-01-01', '2023-01-01%0A']) {
    it(`refuses ${time}`, async () => {
      assertRefused(await history(`from_time=${time}&to_time=2030-01-01`), 400, 'PUBLIC.400_001')
    })
  }
})

describe('Requests: the range', () => {
  it('includes both ends, on time_device, and nothing a millisecond before and after', async () => {
    const both = 'from_time=2024-05-06T08:01:00Z&to_time=2024-05-06T08:03:00Z'
    assert.deepEqual(await minutesOf(both), ['08:01', '08:02', '08:03'])
    const between = 'from_time=2024-05-06T08:01:00.001&to_time=2024-05-06T08:02:59.999'
    assert.deepEqual(await minutesOf(between), ['08:02'])
  })

  it('keeps fractions finer than a millisecond', async () => {
    const after = 'from_time=2024-05-06T08:01:00.0001&to_time=2024-05-06T08:01:30'
    assert.deepEqual(await minutesOf(after), [])
    const until = 'from_time=2024-05-06T08:00:30&to_time=2024-05-06T08:01:00.0001'
    assert.deepEqual(await minutesOf(until), ['08:01'])
  })

  it('reads a date as its first millisecond at the start and its last at the end', async () => {
    assert.equal((await minutesOf('from_time=2024-05-06&to_time=20240506')).length, 12)
    assert.deepEqual(await minutesOf('from_time=2024-05-05&to_time=2024-05-05'), [])
    assert.deepEqual(await minutesOf('from_time=2024-05-07&to_time=2024-05-07'), [])
  })
})
