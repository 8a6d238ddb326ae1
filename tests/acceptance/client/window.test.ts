import assert from 'node:assert/strict'
import { it } from 'node:test'
import { resultIn } from '../../../packages/client/src/body.ts'
import type { Clock } from '../../../packages/client/src/clock.ts'
import { ask, type Connection } from '../../../packages/client/src/connection.ts'
import { requestWindow } from '../../../packages/client/src/window.ts'
import { clock } from '../harness/clock.ts'
import { isEmbedded } from '../harness/deployment.ts'
import { startFleet } from '../harness/fleet.ts'
import { PREFIX } from '../harness/organization.ts'

/** Redis has a clock of its own, for which the calls have to wait. */
const CALLS = isEmbedded ? 200 : 30
const SPAN_MS = 10_000
const TIMEOUT_MS = 60_000

const fleet = await startFleet()

it(`a client of ${CALLS} parallel calls waits for its window and causes no 429`, async (t) => {
  const { key, time } = fleet.take()
  const begun = clock.now()
  const due = new Set<{ at: number; call: () => void }>()
  let [inFlight, refused] = [0, 0]
  /** Lets time pass to the end of the shortest wait, once no request is under way. */
  const passOn = () =>
    setImmediate(async () => {
      const [next] = [...due].sort((a, b) => a.at - b.at)
      if (inFlight > 0 || next === undefined) return
      due.delete(next)
      await time.pass(Math.max(0, next.at - passing.now()))
      next.call()
    })
  const passing: Clock = {
    now: () => clock.now() - begun,
    after(ms, call) {
      const wait = { at: passing.now() + ms, call }
      if (ms < TIMEOUT_MS) due.add(wait)
      passOn()
      return () => due.delete(wait)
    },
  }
  const connection: Connection = {
    base: fleet.server.api + PREFIX,
    apiKey: key,
    fetch: async (...request) => {
      inFlight += 1
      const response = await fetch(...request)
      const body = await response.arrayBuffer()
      inFlight -= 1
      if (response.status === 429) refused += 1
      passOn()
      return new Response(body, response)
    },
    ...{ clock: passing, window: requestWindow(passing), random: Math.random },
    ...{ retries: 0, maxWaitMs: 0, timeoutMs: TIMEOUT_MS },
  }
  const request = { path: '/objects', signal: undefined, isRepeatable: true, isPublic: false }
  const call = () => ask(connection, request, ({ bytes }) => resultIn<unknown[]>(bytes))
  const lists = await Promise.all(Array.from({ length: CALLS }, call))
  assert.ok(lists.every(({ length }) => length === 4))
  assert.equal(refused, 0)
  const ms = clock.now() - begun
  const least = (Math.ceil(CALLS / 10) - 1) * SPAN_MS
  t.diagnostic(JSON.stringify({ calls: CALLS, ms, least }))
  assert.ok(ms >= least, `${ms} ms, at least ${least}`)
  assert.ok(ms < 1.1 * least, `${ms} ms, at least ${least}`)
})
