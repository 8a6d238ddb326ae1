import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { trySharedWindow } from '../../../../testing/live-contract/shared-window-trial.ts'
import type { WindowRule } from '../../../../testing/live-contract/window-verdicts.ts'
import { redisUrl } from '../../../../testing/servers/shared-redis.ts'
import { SPAN_US } from '../../../base/access/sliding-log.ts'
import { RATE_WINDOW } from '../../../base/domain/limits.ts'
import { ASK, script as scriptOf, slidingLog } from './scripts.ts'

/** The quick form uses a shorter span, so that a few seconds contain several. */
const isWhole = process.env.WINDOW_TRIAL === 'whole'
const { requests } = RATE_WINDOW
const RULE: WindowRule = { requests, spanUs: isWhole ? SPAN_US : 400_000 }
const script = isWhole
  ? ASK
  : scriptOf(slidingLog(RULE.spanUs), `return { admit(KEYS[1], ${requests}) }`)
const TRIAL = isWhole
  ? { processes: 4, organizations: 1_000, checks: 1_000_000 }
  : { processes: 2, organizations: 30, checks: 16_000 }
const SEED = 20_261_121

it('the rate window of several processes keeps the rule by the server’s own clock', async (t) => {
  const [url, secret] = [await redisUrl(), randomBytes(32)]
  const { processes, organizations, checks } = TRIAL
  const begun = performance.now()
  const orders = Array.from({ length: processes }, (_, i) => {
    return { url, secret, script, organizations, checks: checks / processes, seed: SEED + i }
  })
  const result = await trySharedWindow(orders, RULE)
  const seconds = (performance.now() - begun) / 1_000
  t.diagnostic(JSON.stringify({ ...result, seconds: Number(seconds.toFixed(1)) }))
  assert.equal(result.checks, checks)
  assert.ok(result.admitted > 10 * organizations, 'several spans were filled')
  assert.ok(result.checks - result.admitted > checks / 10, 'many were refused')
  assert.equal(result.overfullSpans, 0)
  assert.ok(result.unanswered < result.checks / 100)
  // An unanswered request may have been admitted, so a refusal after it may look wrong.
  if (result.unanswered > 0) return
  assert.equal(result.undeserved, 0)
  assert.equal(result.wrongWaits, 0)
})
