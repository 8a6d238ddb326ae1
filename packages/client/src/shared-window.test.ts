/** Parallel programs of one organization, with a clock that the test turns. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultIn } from './body.ts'
import { ask, type Connection } from './connection.ts'
import { RateLimitedError } from './errors.ts'
import { type TurnedClock, turnedClock } from './turned-clock.fixture.ts'
import { requestWindow } from './window.ts'

const LIMIT = 10
const SPAN_MS = 10_000
const MINUTE_MS = 60_000

/** Answers like the server: no span holds more admissions than the policy says, and a refusal does not count. */
function serverOver(clock: TurnedClock): () => Response {
  const admittedAt: number[] = []
  return () => {
    const now = clock.now()
    const inSpan = admittedAt.filter((at) => at > now - SPAN_MS)
    const policy = { 'ratelimit-policy': '"default";q=10;w=10' }
    if (inSpan.length >= LIMIT) {
      const seconds = Math.ceil((inSpan.at(-LIMIT)! + SPAN_MS - now) / 1000)
      const headers = { ...policy, ratelimit: '"default";r=0', 'retry-after': `${seconds}` }
      return new Response('{"errorCode":"ERR999"}', { status: 429, headers })
    }
    admittedAt.push(now)
    const headers = { ...policy, ratelimit: `"default";r=${LIMIT - 1 - inSpan.length}` }
    return new Response('{"statusCode":200,"result":[]}', { headers })
  }
}

/** The client of a program, with `wayMs` in each direction. Resolves with the duration of the call. */
function programOf(
  clock: TurnedClock,
  answer: () => Response,
  wayMs: number,
  more: Partial<Connection> = {},
): () => Promise<number> {
  const passed = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve))
  const connection: Connection = {
    base: 'http://fleet.example.com/public/v1',
    apiKey: 'fg_live_x',
    fetch: async () => {
      await passed(wayMs)
      const response = answer()
      await passed(wayMs)
      return response
    },
    window: requestWindow(clock),
    clock,
    retries: 5,
    maxWaitMs: 5 * MINUTE_MS,
    timeoutMs: 30_000,
    random: seededRandom(),
    ...more,
  }
  const request = { path: '/objects', signal: undefined, isRepeatable: false, isPublic: false }
  return async () => {
    const begun = clock.now()
    await ask(connection, request, ({ bytes }) => resultIn(bytes))
    return clock.now() - begun
  }
}

let seed = 1
function seededRandom(): () => number {
  let state = seed++
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** The durations of consecutive calls. */
async function inTurn(call: () => Promise<number>, calls: number): Promise<number[]> {
  const took: number[] = []
  for (let i = 0; i < calls; i++) took.push(await call())
  return took
}

describe('Programs that share a window', () => {
  it('all get their answers: one with 600 calls at once, a pull, and a distant one', async () => {
    const clock = turnedClock()
    const answer = serverOver(clock)
    const batch = programOf(clock, answer, 1)
    const pull = programOf(clock, answer, 10)
    const far = programOf(clock, answer, 150)
    const ended = Promise.allSettled([
      Promise.all(Array.from({ length: 600 }, batch)),
      inTurn(pull, 100),
      inTurn(far, 50),
    ])
    await clock.runOut()
    const [whole, pulled, farOnes] = await ended
    for (const each of [whole, pulled, farOnes]) {
      assert.equal(each!.status, 'fulfilled', String((each as PromiseRejectedResult).reason))
    }
    // The minimum is 740 s: 75 windows.
    assert.ok(clock.now() < 800_000, `${clock.now()} ms`)
    for (const each of [pulled, farOnes]) {
      const longest = Math.max(...(each as PromiseFulfilledResult<number[]>).value)
      assert.ok(longest < 2 * MINUTE_MS, `one call took ${longest} ms`)
    }
  })

  it('are refused if others leave no room for as long as they are willing to wait', async () => {
    const clock = turnedClock()
    const refuse = () =>
      new Response('{"errorCode":"ERR999"}', { status: 429, headers: { 'retry-after': '10' } })
    const call = programOf(clock, refuse, 1, { maxWaitMs: 2 * MINUTE_MS, random: () => 0 })
    const ended = call().catch((error) => [error, clock.now()])
    await clock.runOut()
    const [error, at] = (await ended) as [unknown, number]
    assert.ok(error instanceof RateLimitedError)
    // Another pause of 10 s would end after the two minutes.
    assert.equal(at, 110_024)
  })
})
