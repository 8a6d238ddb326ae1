/**
 * `CLIENT_TRIAL=whole`: 200 calls, three minutes, hardly slower than the limit allows; otherwise 30 calls, beside
 * other tests. Then three programs of one organization at once, two minutes.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { Fleetgate } from '../../packages/client/src/index.ts'
import { startFleet } from '../harness/fleet.ts'
import { fleetgate } from '../harness/fleetgate.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const WHOLE = process.env.CLIENT_TRIAL === 'whole'
const CALLS = WHOLE ? 200 : 30
const SPAN_MS = 10_000

const fleet = await startFleet({ full: 0, plain: 2 })

it(`a client of ${CALLS} parallel calls waits for its window and causes no 429`, async (t) => {
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
  if (WHOLE) assert.ok(ms < 1.07 * least, `${ms} ms, at least ${least}`)
})

it('three parallel programs of one organization get all their answers', {
  skip: !WHOLE && 'CLIENT_TRIAL=whole',
}, async (t) => {
  const { key } = fleet.take()
  const begun = performance.now()
  const seconds = () => Math.round((performance.now() - begun) / 1000)
  const program = async (calls: number) => {
    const client = new Fleetgate({ baseUrl: fleet.server.api, apiKey: key })
    await Promise.all(Array.from({ length: calls }, () => client.objects.list()))
    return seconds()
  }
  const where = ['--url', fleet.server.api, '--api-key', key, '--out', join(temporaryFolder(), 'o')]
  const pulling = fleetgate(['pull', ...where])
  const [first, second, pulled] = await Promise.all([
    program(60),
    program(60),
    pulling.then((ended) => ({ ...ended, seconds: seconds() })),
  ])
  assert.equal(pulled.code, 0, pulled.stderr)
  assert.match(pulled.stdout, / 1,215 of them positions, /)
  t.diagnostic(JSON.stringify({ first, second, pull: pulled.seconds }))
})
