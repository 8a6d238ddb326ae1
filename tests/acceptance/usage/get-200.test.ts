import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Answer } from '../harness/client.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { scoped } from '../harness/scoped.ts'

type Caller = ReturnType<typeof fleet.take>

const fleet = await startFleet()

describe('GET /key', async () => {
  const organization = fleet.take()

  it('shows a key without a scope', async () => {
    const answer = await organization.get('/key')
    const { created_at: createdAt, prefix, ...key } = resultOf(answer)
    assert.deepEqual(key, {
      ...{ name: 'acceptance', scope: null, expires_at: null },
      organization: {
        ...{ name: organization.name, time_zone: 'UTC' },
        ...{ distance_unit: 'km', language: 'en' },
      },
    })
    assert.equal(organization.key.slice(0, 12), prefix)
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 3_600_000)
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal(answer.text.includes(organization.key), false)
  })

  it('shows the scope, open to every key, while the subscription is suspended too', async () => {
    const { van } = organization.objects
    const scope = ['--operations', 'routes', '--objects', `${van}`, '--window-share', '4']
    const caller = await scoped(fleet, organization, ...scope, '--data-from', '2024-05-06')
    await fleet.run('org', 'update', String(organization.id), '--subscription', 'suspended')
    assert.deepEqual(resultOf(await caller.get('/key')).scope, {
      operations: ['routes'],
      objects: [van],
      data_from: '2024-05-06T00:00:00.000Z',
      data_until: null,
      window_share: 4,
    })
    const { window, maxima } = resultOf(await caller.get('/usage'))
    assert.deepEqual(window, { limit: 4, remaining: 2, reset: 10 })
    assert.equal(maxima.streams, 4)
  })
})

/** Where processes share the counters of the quota, they may be a second old. */
async function withCounters({ get }: Pick<Caller, 'get'>, used: number): Promise<Answer> {
  for (;;) {
    const answer = await get('/usage')
    const { objects } = resultOf(answer).quota
    if (objects.reduce((sum: number, each: Json) => sum + each.used, 0) === used) return answer
    await wait(400)
  }
}

describe('GET /usage', async () => {
  const organization = fleet.take()
  const { van, truck } = organization.objects

  it('tells the window, the quota of used objects, requests and maxima, and charges nothing', async () => {
    await fleet.run('org', 'update', String(organization.id), '--daily-quota', '5')
    await organization.get(`/objects/${van}`)
    await organization.get(`/positions/latest?ids=${van},${truck}`)
    await organization.get('/objects/x')
    const answer = await withCounters(organization, 3)
    const { window, quota, requests, maxima } = resultOf(answer)
    const { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining } = answer.headers
    assert.deepEqual([`${window.limit}`, `${window.remaining}`], [limit, remaining])
    assert.equal(`${window.reset}`, answer.headers['x-ratelimit-reset'])
    assert.equal(quota.limit, 5)
    assert.ok(quota.reset > 0 && quota.reset <= 86_400)
    assert.deepEqual(quota.objects, [
      { id: van, used: 2, remaining: 3 },
      { id: truck, used: 1, remaining: 4 },
    ])
    const today = new Date().toISOString().slice(0, 10)
    assert.deepEqual(
      requests.filter(({ date, operation }: Json) => date === today && operation !== 'getUsage'),
      [
        { date: today, operation: 'getObject', status: 200, requests: 1 },
        { date: today, operation: 'getObject', status: 400, requests: 1 },
        { date: today, operation: 'latestPositions', status: 200, requests: 1 },
      ],
    )
    assert.deepEqual(maxima, {
      history_rows: null,
      history_days: null,
      ids: 1_000,
      streams: 10,
      changes_days: 30,
    })
    assert.equal(answer.headers['x-quota-limit'], undefined)
  })

  it('takes ids, and leaves foreign ones out', async () => {
    const idsOf = async (ids: string) =>
      resultOf(await organization.get(`/usage?ids=${ids}`)).quota.objects.map(({ id }: Json) => id)
    assert.deepEqual(await idsOf(`${truck},999999999`), [truck])
    assertRefused(await organization.get('/usage?ids=999999999'), 404, 'PUBLIC.404_001')
    assertRefused(await organization.get('/usage?ids=x'), 400, 'PUBLIC.400_001', /^ids /)
  })
})

describe('GET /usage with a scope of one object', async () => {
  const organization = fleet.take()
  const { van, truck } = organization.objects
  const caller = await scoped(fleet, organization, '--objects', `${truck}`)

  it('tells of the objects of the scope and the requests of the key alone', async () => {
    await organization.get(`/objects/${van}`)
    await organization.get(`/objects/${truck}`)
    const { quota, requests } = resultOf(await withCounters(caller, 1))
    assert.deepEqual(quota.objects, [{ id: truck, used: 1, remaining: null }])
    assert.deepEqual(
      requests.filter(({ operation }: Json) => operation !== 'getUsage'),
      [],
    )
    assertRefused(await caller.get(`/usage?ids=${van}`), 404, 'PUBLIC.404_001')
  })
})
