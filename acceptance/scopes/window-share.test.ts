import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { scoped } from '../harness/scoped.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

const limits = ({ headers }: { headers: Record<string, unknown> }) => [
  headers['x-ratelimit-limit'],
  headers['x-ratelimit-remaining'],
]

describe('A key with a share of the window', () => {
  it('uses no more than its share, and shows the lower of share and window', async () => {
    const organization = fleet.take()
    const caller = await scoped(fleet, organization, '--window-share', '3')
    const first = await caller.get('/sites')
    assert.equal(first.headers['ratelimit-policy'], '"default";q=3;w=10')
    assert.deepEqual(limits(first), ['3', '2'])
    assert.deepEqual(limits(await caller.get('/sites')), ['3', '1'])
    assert.deepEqual(limits(await caller.get('/sites')), ['3', '0'])
    const refused = await caller.get('/sites')
    assertRefused(refused, 429, 'ERR999', /^ThrottlerException: Too Many Requests/)
    assert.deepEqual(limits(refused), ['3', '0'])
    // Three of ten are used, and a refused request used nothing.
    assert.deepEqual(limits(await organization.get('/sites')), ['10', '6'])
  })

  it('is refused when the window of its organization is used up', async () => {
    const organization = fleet.take()
    const caller = await scoped(fleet, organization, '--window-share', '3')
    for (let sent = 0; sent < 9; sent += 1) await organization.get('/sites')
    assert.deepEqual(limits(await caller.get('/sites')), ['3', '0'])
    assertRefused(await caller.get('/sites'), 429, 'ERR999')
  })
})
