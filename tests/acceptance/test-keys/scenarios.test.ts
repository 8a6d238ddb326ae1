import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { PREFIX } from '../harness/organization.ts'
import { testKey, untilYoungDay, yesterday } from '../harness/test-key.ts'

const fleet = await startFleet()
const SLOW_MS = 10_000
await untilYoungDay()
const HISTORY = `/objects/1/positions?${yesterday()}`

describe('The scenario of a test key', () => {
  const own = fleet.take()

  it('suspended: position endpoints answer 403, others as usual', async () => {
    const caller = await testKey(fleet, own, 'suspended')
    for (const path of [HISTORY, '/positions/latest?ids=1', '/changes']) {
      assertRefused(await caller.get(path), 403, 'SUBSCRIPTION.403_002')
    }
    assert.ok(resultOf(await caller.get('/objects')).length >= 6)
  })

  it('expired: every request is answered 401', async () => {
    const caller = await testKey(fleet, own, 'expired')
    assertRefused(await caller.get('/objects'), 401, 'ERR999', 'Unauthorized')
  })

  it('exhausted: object 1 has no quota left, others have', async () => {
    const caller = await testKey(fleet, own, 'exhausted')
    const refused = await caller.get(HISTORY)
    assertRefused(refused, 400, 'PUBLIC.400_005', /1/)
    assert.equal(refused.headers['x-quota-exhausted'], '1')
    assert.equal(refused.headers['x-quota-remaining'], '0')
    const other = await caller.get('/positions/latest?ids=2')
    resultOf(other)
    assert.equal(other.headers['x-quota-remaining'], '999')
    const whole = await caller.get('/positions/latest?ids=1,2&skip_exhausted=true')
    assert.deepEqual(
      resultOf(whole).map(({ id }: { id: number }) => id),
      [2],
    )
    const { quota } = resultOf(await caller.get('/usage'))
    assert.deepEqual(quota.objects, [{ id: 1, used: 1_000, remaining: 0 }])
    resultOf(await caller.get('/objects/1'))
  })

  it('limited: every request is answered 429', async () => {
    const caller = await testKey(fleet, own, 'limited')
    const refused = await caller.get('/objects')
    assertRefused(refused, 429, 'ERR999', /^ThrottlerException: Too Many Requests/)
    assert.equal(refused.headers['retry-after'], '1')
  })

  it('unavailable: every request is answered 503', async () => {
    const caller = await testKey(fleet, own, 'unavailable')
    const refused = await caller.get('/objects')
    assertRefused(refused, 503, 'ERR999')
    assert.ok(Number(refused.headers['retry-after']) > 0)
  })

  it('cut: an answer breaks off after 1 KiB', async () => {
    const { key } = await testKey(fleet, own, 'cut')
    const headers = { 'x-api-key': key, 'accept-encoding': 'gzip' }
    assert.deepEqual(await received(HISTORY, headers), { bytes: 1_024, isWhole: false })
    assert.deepEqual(await received('/objects', headers), { bytes: 1_024, isWhole: false })
    const events = { ...headers, accept: 'text/event-stream' }
    assert.deepEqual(await received('/changes', events), { bytes: 1_024, isWhole: false })
    const short = await received('/sites', headers)
    assert.ok(short.isWhole && short.bytes < 1_024)
  })

  it('slow: an answer begins after 10 s', async () => {
    const caller = await testKey(fleet, own, 'slow')
    const begun = performance.now()
    resultOf(await caller.get('/sites'))
    // The timers of both processes round.
    assert.ok(performance.now() - begun > SLOW_MS - 50)
  })

  it('stale: every cursor is answered 410, and every stream ends with resync', async () => {
    const caller = await testKey(fleet, own, 'stale')
    const { cursor } = resultOf(await caller.get('/changes?limit=1'))
    assertRefused(await caller.get(`/changes?cursor=${cursor}`), 410, 'PUBLIC.410_001')
    const headers = { accept: 'text/event-stream' }
    const { text } = await caller.get('/changes?limit=1', { headers })
    assert.deepEqual(eventsIn(text), ['message', 'resync'])
    const continued = await caller.get(`/changes?cursor=${cursor}`, { headers })
    assert.deepEqual(eventsIn(continued.text), ['resync'])
  })

  it('is kept by a rotation, and a key without one is answered as usual', async () => {
    const org = ['--org', String(own.id)]
    const { keyId } = await testKey(fleet, own, 'limited')
    const rotated = await fleet.json('key', 'rotate', String(keyId), ...org)
    assert.equal(rotated.scenario, 'limited')
    assert.match(rotated.key, /^fg_test_/)
    const { id } = await fleet.json('key', 'issue', ...org)
    const listed = await fleet.json('key', 'list', ...org)
    assert.equal(listed.find((each: { id: number }) => each.id === id).scenario, null)
  })
})

/** The kinds of the events of a stream. */
function eventsIn(text: string): string[] {
  const events = text.split('\n\n').filter((event) => /^(data|event):/m.test(event))
  return events.map((event) => /^event: (.*)$/m.exec(event)?.[1] ?? 'message')
}

/** The bytes of a body, and whether it ended as HTTP wants it. */
async function received(path: string, headers: Record<string, string>) {
  const url = fleet.server.api + PREFIX + path
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, agent: false }, resolve).on('error', reject)
  })
  assert.equal(answer.statusCode, 200)
  let bytes = 0
  try {
    for await (const piece of answer) bytes += piece.length
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ECONNRESET')
  }
  return { bytes, isWhole: answer.complete }
}
