import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Answer } from '../harness/client.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'

const fleet = await startFleet({ full: 0, plain: 8 })

const history = (query: string): Promise<Answer> =>
  fleet.ask(({ objects }) => `/objects/${objects.van}/positions?${query}`)
const rowsOf = async (query: string) => resultOf(await history(query))

describe('Requests: time formats', () => {
  // Each is the moment of the third fix, 2024-05-06T08:02:00Z.
  const moments = [
    ...['2024-05-06T08:02', '2024-05-06T08:02Z', '2024-05-06T08:02:00', '2024-05-06T08:02:00Z'],
    ...['2024-05-06T08:02:00.000Z', '2024-05-06T08:02:00.000000000', '2024-05-06T11:02%2B03:00'],
    ...['2024-05-06T11:02%2B0300', '2024-05-06T11:02+03:00', '2024-05-06T11:02:00.0+0300'],
    ...['2024-05-06T03:02-05:00', '2024-05-05T20:17-11:45', '2024-05-07T08:01+23:59'],
    ...['20240506T080200Z', '20240506T0802', '20240506T110200%2B0300', '2024-05-06T11:02%2B03'],
    ...['2024-05-06T11:02:00+03', '2024-05-06T08:02:00,000Z', '20240506T080200,0Z'],
  ]
  for (const moment of moments) {
    it(`accepts ${moment}`, async () => {
      const rows = await rowsOf(`from_time=${moment}&to_time=${moment}`)
      assert.deepEqual(
        rows.map((row: { time_device: string }) => row.time_device),
        ['2024-05-06T08:02:00.000Z'],
      )
    })
  }

  const refused = [
    ...['2023-02-30', '2023-02-29', '2023-13-01', '2023-00-10', '2023-01-00', '2023-1-1'],
    ...['2023-01-01T24:00', '2023-01-01T23:60', '2023-01-01T23:59:60'],
    ...['2023-01-01t08:00z', '2023-01-01T08,5Z', '2023-01-01T08:00Z+01:00', '2023-0101'],
    ...['2023-01-01T08:00+3', '2023-01-01T08:00%2B24:00', '2023-01-01T08:00%2B03:60', '1700000000'],
    ...[
      '2023-01-01%2008:00',
      '2023-W01-1',
      '2023-001',
      '%2B002023-01-01',
      'now',
      '2023-01-01T08:00:00.Z',
    ],
    ...['%202023-01-01', '2023-01-01%0A', 'NaN', '2023-01-01T08:00UTC'],
  ]
  for (const time of refused) {
    it(`refuses ${time}`, async () => {
      assertRefused(await history(`from_time=${time}&to_time=2030-01-01`), 400, 'PUBLIC.400_001')
    })
  }
})

describe('Requests: the range', () => {
  it('includes both ends, on time_device', async () => {
    const rows = await rowsOf('from_time=2024-05-06T08:01:00Z&to_time=2024-05-06T08:03:00Z')
    assert.deepEqual(
      rows.map((row: { time_device: string }) => row.time_device.slice(11, 16)),
      ['08:01', '08:02', '08:03'],
    )
  })

  it('excludes fixes a millisecond before and after', async () => {
    const rows = await rowsOf('from_time=2024-05-06T08:01:00.001&to_time=2024-05-06T08:02:59.999')
    assert.equal(rows.length, 1)
  })

  it('keeps fractions finer than a millisecond', async () => {
    assert.equal(
      (await rowsOf('from_time=2024-05-06T08:01:00.0001&to_time=2024-05-06T08:01:30')).length,
      0,
    )
    assert.equal(
      (await rowsOf('from_time=2024-05-06T08:00:30&to_time=2024-05-06T08:01:00.0001')).length,
      1,
    )
  })

  it('reads a date as its first millisecond at the start and its last at the end', async () => {
    assert.equal((await rowsOf('from_time=2024-05-06&to_time=2024-05-06')).length, 12)
    assert.equal((await rowsOf('from_time=2024-05-05&to_time=2024-05-05')).length, 0)
    assert.equal((await rowsOf('from_time=2024-05-07&to_time=2024-05-07')).length, 0)
    assert.equal((await rowsOf('from_time=2024-05-06T08:05&to_time=2024-05-06')).length, 7)
    assert.equal((await rowsOf('from_time=20240506&to_time=20240506')).length, 12)
    assert.equal((await rowsOf('from_time=2024-05-06T08Z&to_time=2024-05-06T09')).length, 12)
  })

  it('may not end before its start', async () => {
    for (const range of [
      'from_time=2024-05-07&to_time=2024-05-06',
      'from_time=2024-05-06T08:00:00.001Z&to_time=2024-05-06T08:00:00.000Z',
    ]) {
      assertRefused(await history(range), 400, 'PUBLIC.400_001')
    }
  })
})
