import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { SIMULATED, testKey, yesterday } from '../harness/test-key.ts'

const fleet = await startFleet()

const remaining = ({ headers }: { headers: Record<string, unknown> }) =>
  headers['x-ratelimit-remaining']

describe('A test key', () => {
  it('shows nothing of its organization', async () => {
    const own = fleet.take()
    const caller = await testKey(fleet, own)
    const names = async (path: string, of: { get(path: string): Promise<never> }) =>
      (resultOf(await of.get(path)) as Json[]).map(({ name }) => name)
    for (const path of ['/objects', '/geofences', '/routes', '/sites']) {
      const real = new Set(await names(path, own as never))
      const simulated = await names(path, caller as never)
      assert.ok(simulated.length > 0)
      assert.deepEqual(
        simulated.filter((name) => real.has(name)),
        [],
      )
    }
    const foreign = await caller.get(`/objects/${own.objects.van}`)
    assertRefused(foreign, 404, 'PUBLIC.404_001')
  })

  it('has a window of its own, and leaves that of its organization alone', async () => {
    const own = fleet.take()
    const [one, other] = [await testKey(fleet, own), await testKey(fleet, own)]
    for (let left = 9; left >= 0; left -= 1) {
      assert.equal(remaining(await one.get('/sites')), String(left))
    }
    assertRefused(await one.get('/sites'), 429, 'ERR999')
    assert.equal(remaining(await other.get('/sites')), '9')
    assert.equal(remaining(await own.get('/sites')), '9')
  })

  it('charges nobody', async () => {
    const own = fleet.take()
    await fleet.json('org', 'update', String(own.id), '--daily-quota', '5')
    const caller = await testKey(fleet, own)
    const path = `/objects/${SIMULATED.frequent}/positions?limit=1&${yesterday()}`
    for (const _ of [1, 2]) {
      const answer = await caller.get(path)
      resultOf(answer)
      assert.deepEqual(
        [answer.headers['x-quota-limit'], answer.headers['x-quota-remaining']],
        ['1000', '999'],
      )
    }
    const { quota } = resultOf(await own.get('/usage'))
    assert.deepEqual([quota.limit, quota.objects], [5, []])
  })

  it('discloses nothing of its organization, and its requests are counted as its own', async () => {
    const own = fleet.take()
    const caller = await testKey(fleet, own)
    resultOf(await caller.get(`/objects/${SIMULATED.frequent}/positions?limit=1&${yesterday()}`))
    const { requests } = resultOf(await caller.get('/usage'))
    assert.deepEqual(
      requests.map(({ operation }: Json) => operation),
      ['listPositions'],
    )
    assert.deepEqual(resultOf(await own.get('/usage')).requests, [])
    const org = ['--org', String(own.id)]
    assert.deepEqual(await fleet.json('key', 'disclosures', ...org), [])
  })

  it('cannot use a cursor of its organization, nor the organization one of it', async () => {
    const own = fleet.take()
    const caller = await testKey(fleet, own)
    const ofOwn = resultOf(await own.get('/changes?from=now')).cursor
    const ofTest = resultOf(await caller.get('/changes?from=now')).cursor
    assertRefused(await caller.get(`/changes?cursor=${ofOwn}`), 400, 'PUBLIC.400_001')
    assertRefused(await own.get(`/changes?cursor=${ofTest}`), 400, 'PUBLIC.400_001')
  })

  it('has no scope, and gets none', async () => {
    const own = fleet.take()
    const org = ['--org', String(own.id)]
    const issue = fleet.json('key', 'issue', '--test', '--operations', 'objects', ...org)
    await assert.rejects(issue, /a test key has no scope/)
    const { keyId } = await testKey(fleet, own)
    const update = fleet.json('key', 'update', String(keyId), '--window-share', '3', ...org)
    await assert.rejects(update, /is a test key/)
    await assert.rejects(
      fleet.json('key', 'issue', '--scenario', 'slow', ...org),
      /requires --test/,
    )
  })

  it('ends when it is revoked', async () => {
    const own = fleet.take()
    const caller = await testKey(fleet, own)
    resultOf(await caller.get('/sites'))
    await fleet.json('key', 'revoke', String(caller.keyId), '--org', String(own.id))
    const until = performance.now() + 5_000
    let answer = await caller.get('/sites')
    while (answer.status !== 401 && performance.now() < until) answer = await caller.get('/sites')
    assertRefused(answer, 401, 'ERR999', 'Unauthorized')
  })
})
