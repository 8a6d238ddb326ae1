import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { PREFIX } from '../harness/organization.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

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
