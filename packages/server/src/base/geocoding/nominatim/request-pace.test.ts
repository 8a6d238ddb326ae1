import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { handedClock } from '../../../../testing/handed-clock.ts'
import { openPace, readRetryAfter } from './request-pace.ts'

describe('The pace', () => {
  it('allows one request in each interval', async () => {
    const { turn, clock } = open(1000)
    assert.deepEqual(await turn(), [])
    assert.deepEqual(await turn(), [1000])
    clock.advanceUs(400_000)
    assert.deepEqual(await turn(), [600])
    clock.advanceUs(1_500_000)
    assert.deepEqual(await turn(), [])
    assert.deepEqual(await turn(), [1000])
  })

  it('waits longer after each failure, 5 minutes at most, until one succeeds', async () => {
    const { turn, pace } = open(1000)
    await turn()
    const waits: number[] = []
    for (let failures = 1; failures <= 10; failures += 1) {
      pace.failed(null)
      waits.push(...(await turn()))
    }
    assert.deepEqual(
      waits,
      [2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000],
    )
    pace.succeeded()
    assert.deepEqual(await turn(), [1000])
    pace.failed(null)
    assert.deepEqual(await turn(), [2000])
  })

  it('waits as long as the server asked, but at least the interval', async () => {
    const { turn, pace } = open(1000)
    await turn()
    pace.failed(90_000)
    assert.deepEqual(await turn(), [90_000])
    pace.failed(0)
    assert.deepEqual(await turn(), [1000])
    pace.failed(1e15)
    assert.deepEqual(await turn(), [86_400_000])
  })

  it('is correct with a timer that fires early', async () => {
    const clock = handedClock()
    const waits: number[] = []
    const pace = openPace(1000, clock, async (ms) => {
      waits.push(ms)
      clock.advanceUs(Math.ceil(ms / 2) * 1000)
    })
    const { signal } = new AbortController()
    await pace.turn(signal)
    const from = clock.monotonic()
    await pace.turn(signal)
    assert.ok(clock.monotonic() - from >= 1_000_000)
    assert.deepEqual(waits.slice(0, 3), [1000, 500, 250])
  })

  it('stops waiting when canceled', async () => {
    const { pace } = open(1000)
    const giveUp = new AbortController()
    giveUp.abort()
    await assert.rejects(pace.turn(giveUp.signal), { name: 'AbortError' })
  })
})

describe('Retry-After', () => {
  it('is in seconds or a date', () => {
    const now = Date.UTC(2026, 10, 20, 10)
    assert.equal(readRetryAfter('120', now), 120_000)
    assert.equal(readRetryAfter('Fri, 20 Nov 2026 10:01:00 GMT', now), 60_000)
    assert.equal(readRetryAfter('Fri, 20 Nov 2026 09:59:00 GMT', now), 0)
    for (const none of [null, '', 'soon', '-5', '1.5e99x']) {
      assert.equal(readRetryAfter(none, now), null, String(none))
    }
  })
})

/** `turn` returns the waited time in milliseconds. */
function open(intervalMs: number) {
  const clock = handedClock()
  let waits: number[] = []
  const pace = openPace(intervalMs, clock, async (ms) => {
    waits.push(ms)
    clock.advanceUs(ms * 1000)
  })
  const { signal } = new AbortController()
  async function turn(): Promise<number[]> {
    waits = []
    await pace.turn(signal)
    return waits
  }
  return { pace, clock, turn }
}
