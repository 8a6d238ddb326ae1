/** `CLIENT_TRIAL=whole`: 200 calls, three minutes, and no slower than can be; else 30, beside other tests. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Fleetgate } from '../../packages/client/src/index.ts'
import { startFleet } from '../harness/fleet.ts'

const WHOLE = process.env.CLIENT_TRIAL === 'whole'
const CALLS = WHOLE ? 200 : 30
const SPAN_MS = 10_000

const fleet = await startFleet({ full: 0, plain: 1 })

it(`a client of ${CALLS} calls at once waits for its window, and no 429 is sent`, async (t) => {
  const organization = fleet.take()
  let refused = 0
  const client = new Fleetgate({
    baseUrl: fleet.server.api,
    apiKey: organization.key,
    fetch: async (...request) => {
      const response = await fetch(...request)
      if (response.status === 429) refused += 1
      return response
    },
  })
  const begun = performance.now()
  const lists = await Promise.all(Array.from({ length: CALLS }, () => client.objects.list()))
  const ms = performance.now() - begun
  assert.ok(lists.every(({ length }) => length === 4))
  assert.equal(refused, 0)
  const least = (Math.ceil(CALLS / 10) - 1) * SPAN_MS
  t.diagnostic(JSON.stringify({ calls: CALLS, ms: Math.round(ms), least, refused }))
  assert.ok(ms >= least, `${ms} ms, at least ${least}`)
  if (WHOLE) assert.ok(ms < 1.05 * least, `${ms} ms, at least ${least}`)
})
