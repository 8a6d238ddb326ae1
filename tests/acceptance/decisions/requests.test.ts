import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'

const fleet = await startFleet()

describe('Requests: history parameters', () => {
  it('have no aliases', async () => {
    const alias = ({ objects }: { objects: { van: number } }) =>
      `/objects/${objects.van}/positions?from=2024-05-06&to=2024-05-06`
    assertRefused(await fleet.ask(alias), 400, 'PUBLIC.400_001', /From Time is required/)
  })
})

describe('Requests: unknown query parameters', () => {
  it('are ignored', async () => {
    resultOf(await fleet.ask(() => '/objects?page=2&page=3&limit=x&%5B%5D=1&='))
    const others = 'sort=desc&sort=asc&constructor=1&__proto__=2&max=1&LIMIT=1'
    const answer = await fleet.ask(
      ({ objects }) => `/objects/${objects.van}/positions?${WHOLE_RANGE}&${others}`,
    )
    assert.equal(resultOf(answer).length, 12)
  })
})

describe('Requests: `id` that is not digits', () => {
  it('is a 400; digits without an object are a 404', async () => {
    assertRefused(await fleet.ask(() => '/objects/12x'), 400, 'PUBLIC.400_001', /\bid\b/)
    const answer = await fleet.ask(() => '/objects/9007199254740992')
    assertRefused(answer, 404, 'PUBLIC.404_001')
  })
})

describe('Requests: methods', () => {
  it('counts and charges HEAD as GET', async () => {
    const organization = fleet.take()
    await fleet.run('org', 'update', String(organization.id), '--daily-quota', '2')
    const path = `/objects/${organization.objects.van}/positions?${WHOLE_RANGE}`
    const limitsOf = async (method: string) => {
      const { status, headers } = await organization.get(path, { method })
      return [status, headers['x-quota-remaining'], headers['x-ratelimit-remaining']]
    }
    assert.deepEqual(await limitsOf('HEAD'), [200, '1', '9'])
    assert.deepEqual(await limitsOf('GET'), [200, '0', '8'])
    assert.deepEqual(await limitsOf('HEAD'), [400, '0', '7'])
  })

  it('neither counts a 404 or 405, nor requires a key for it', async () => {
    const organization = fleet.take()
    for (let i = 0; i < 2; i++) {
      assertRefused(await organization.get('/nothing'), 404, 'ERR999')
      assertRefused(await organization.get('/objects', { method: 'POST' }), 405, 'ERR999')
    }
    assert.equal((await organization.get('/objects')).headers['x-ratelimit-remaining'], '9')
  })
})

describe('Requests: key headers', () => {
  const organization = fleet.take()
  const { key } = organization

  it('are x-api-key or a Bearer Authorization, beside an Authorization of another scheme', async () => {
    for (const headers of [
      { authorization: `bEARER ${key}` },
      { 'X-API-KEY': key, authorization: 'Basic eDp5' },
    ] as Record<string, string>[]) {
      resultOf(await request(fleet.server.api, `${PREFIX}/objects`, { headers }))
    }
  })

  it('does not accept a key in the URL', async () => {
    const target = `${PREFIX}/objects?x-api-key=${key}&api_key=${key}`
    assertRefused(await request(fleet.server.api, target), 401, 'ERR999')
  })
})

const history = (query: string) =>
  fleet.ask(({ objects }) => `/objects/${objects.van}/positions?${query}`)
const minutesOf = async (query: string) =>
  resultOf(await history(query)).map((row: Json) => row.time_device.slice(11, 16))

// `time.test.ts` and `list-positions.test.ts` of the server have all forms. These are the ones that an address may change.
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
