import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { openEvents } from '../harness/events.ts'
import { startFleet } from '../harness/fleet.ts'
import { PREFIX } from '../harness/organization.ts'
import { scoped } from '../harness/scoped.ts'

const fleet = await startFleet()

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
    // Three are used, and a refused request used nothing.
    assert.deepEqual(limits(await organization.get('/sites')), ['10', '6'])
  })

  it('is refused when the window of its organization is used up', async () => {
    const organization = fleet.take()
    const caller = await scoped(fleet, organization, '--window-share', '3')
    for (let sent = 0; sent < 9; sent += 1) await organization.get('/sites')
    assert.deepEqual(limits(await caller.get('/sites')), ['3', '0'])
    assertRefused(await caller.get('/sites'), 429, 'ERR999')
  })

  it('holds as many streams as its share, and leaves the others to its organization', async () => {
    const organization = fleet.take()
    const caller = await scoped(fleet, organization, '--window-share', '2')
    const url = `${fleet.server.api}${PREFIX}/changes?from=now`
    const headers = (key: string) => ({ accept: 'text/event-stream', 'x-api-key': key })
    const open = async (key: string) => {
      const stream = await openEvents(url, headers(key))
      assert.ok('close' in stream, 'no stream')
      return stream
    }
    const held = [await open(caller.key), await open(caller.key)]
    const ask = () => caller.get('/changes?from=now', { headers: { accept: 'text/event-stream' } })
    const early = await ask()
    assert.equal(early.headers['x-ratelimit-remaining'], '0', 'the streams have filled the share')
    await organization.time.pass(Number(early.headers['retry-after']) * 1_000)
    const refused = await ask()
    assertRefused(refused, 429, 'ERR999')
    assert.equal(refused.headers['retry-after'], '10')
    assert.notEqual(refused.headers['x-ratelimit-remaining'], '0')
    held.push(await open(organization.key))
    for (const stream of held) stream.close()
  })
})
