import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it, type TestContext } from 'node:test'
import {
  trySharedWindow,
  type WindowRule,
} from '../../../testing/realtime-contract/shared-window-trial.ts'
import { type RedisServer, startRedis } from '../../../testing/servers/redis.ts'
import { RATE_WINDOW } from '../../access/sliding-log.ts'
import { ASK, type Script, script, slidingLog } from './scripts.ts'

/** The quick form uses a shorter span, so that a few seconds contain several. */
const isWhole = process.env.WINDOW_TRIAL === 'whole'
const RULE: WindowRule = isWhole ? RATE_WINDOW : { requests: 10, spanUs: 400_000 }
const EXACT = isWhole ? ASK : script(slidingLog(RULE), 'return { admit(KEYS[1]) }')
const TRIAL = isWhole
  ? { processes: 4, organizations: 1_000, checks: 1_000_000 }
  : { processes: 2, organizations: 30, checks: 16_000 }
const SEED = 20_261_121

/** Counts anew with each span of the clock, and so admits twice as many around a boundary. */
const FIXED = script(`
  local span = math.floor(now / ${RULE.spanUs})
  local rest = (span + 1) * ${RULE.spanUs} - now
  local key = KEYS[1] .. span
  local count = tonumber(redis.call('GET', key) or '0')
  if count >= ${RULE.requests} then return { 0, 0, rest } end
  redis.call('SET', key, count + 1, 'PX', ${(2 * RULE.spanUs) / 1_000})
  return { 1, ${RULE.requests} - count - 1, rest }`)

describe('The rate window of several processes', () => {
  let redis: RedisServer
  before(async () => {
    redis = await startRedis()
  })
  after(() => redis.stop())

  async function run(context: TestContext, window: Script) {
    const secret = randomBytes(32)
    const { processes, organizations, checks } = TRIAL
    const begun = performance.now()
    const orders = Array.from({ length: processes }, (_, i) => {
      const share = { organizations, checks: checks / processes, seed: SEED + i }
      return { url: redis.patientUrl, secret, script: window, ...share }
    })
    const result = await trySharedWindow(orders, RULE)
    const seconds = (performance.now() - begun) / 1_000
    context.diagnostic(JSON.stringify({ ...result, seconds: Number(seconds.toFixed(1)) }))
    assert.equal(result.checks, checks)
    assert.ok(result.admitted > 10 * organizations, 'several spans were filled')
    assert.ok(result.checks - result.admitted > checks / 10, 'many were refused')
    return result
  }

  it('keeps the rule by the server’s own clock', async (context) => {
    const result = await run(context, EXACT)
    assert.equal(result.overfullSpans, 0)
    assert.ok(result.unanswered < result.checks / 100)
    // An unanswered request may have been admitted, so a refusal after it may look wrong.
    if (result.unanswered > 0) return
    assert.equal(result.undeserved, 0)
    assert.equal(result.wrongWaits, 0)
  })

  it('would break the rule as a fixed window', async (context) => {
    assert.ok((await run(context, FIXED)).overfullSpans > 0)
  })
})
