import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { type RateVerdict, SPAN_US } from '../../src/base/access/sliding-log.ts'
import { RATE_WINDOW } from '../../src/base/domain/limits.ts'
import { NOTHING, type RealtimeTest, take } from './fixture.ts'

const { requests } = RATE_WINDOW

export function windowContract(name: string, it: RealtimeTest): void {
  describe(`The rate window of ${name}`, () => {
    it('admits ten, and reports the remaining ones', async ({ realtime, advanceUs }) => {
      const slackUs = advanceUs === null ? SLACK_US : 0
      for (let remaining = requests - 1; remaining >= 0; remaining--) {
        assertVerdict(
          await take(realtime),
          { admitted: true, remaining, resetUs: SPAN_US },
          slackUs,
        )
      }
      const refused = { admitted: false, remaining: 0, resetUs: SPAN_US }
      assertVerdict(await take(realtime), refused, slackUs)
    })

    it('returns the exact wait until the next admission, and does not count refusals', async ({
      realtime,
      advanceUs,
    }, context) => {
      if (advanceUs === null) return context.skip('nobody turns the clock of a server')
      await take(realtime)
      advanceUs(3_000_000)
      for (let i = 1; i < requests; i++) assert.ok((await take(realtime)).admitted)
      const { resetUs } = await take(realtime)
      assert.equal(resetUs, SPAN_US - 3_000_000)
      advanceUs(resetUs - 1)
      assert.deepEqual(await take(realtime), { admitted: false, remaining: 0, resetUs: 1 })
      advanceUs(1)
      assert.deepEqual(await take(realtime), { admitted: true, remaining: 0, resetUs: 3_000_000 })
      assert.equal((await take(realtime)).admitted, false)
    })

    it('admits so many as it is asked for, and counts those that it admitted before', async ({
      realtime,
    }) => {
      const ask = async (windowRequests: number) => {
        const { admitted, remaining } = (await realtime.ask(1, { ...NOTHING, windowRequests })).rate
        return admitted ? remaining : 'refused'
      }
      assert.deepEqual([await ask(2), await ask(2), await ask(2)], [1, 0, 'refused'])
      for (let left = 17; left >= 0; left--) assert.equal(await ask(20), left)
      assert.equal(await ask(20), 'refused')
      assert.equal(await ask(requests), 'refused')
      assert.deepEqual([await ask(22), await ask(22), await ask(22)], [1, 0, 'refused'])
    })

    it('belongs to each organization', async ({ realtime }) => {
      for (let i = 0; i < requests; i++) await take(realtime)
      assert.equal((await take(realtime)).admitted, false)
      assert.equal((await take(realtime, 2)).remaining, requests - 1)
    })

    it('admits a key with a share to share and window, or to neither', async ({ realtime }) => {
      const share = { key: 7, requests: 2 }
      const ask = async (organization: number) =>
        (await realtime.ask(organization, { ...NOTHING, share })).rate
      const remaining = [(await ask(1)).remaining, (await ask(1)).remaining]
      const refused = await ask(1)
      assert.deepEqual([remaining, refused.admitted, refused.remaining], [[1, 0], false, 0])
      assert.ok(refused.resetUs > 0 && refused.resetUs <= SPAN_US)
      assert.equal((await take(realtime)).remaining, requests - 3)
      // With a smaller share the older admissions count too.
      const smaller = await realtime.ask(1, { ...NOTHING, share: { key: 7, requests: 1 } })
      assert.equal(smaller.rate.admitted, false)
      const larger = await realtime.ask(1, { ...NOTHING, share: { key: 7, requests: 4 } })
      assert.equal(larger.rate.remaining, 1)
      for (let left = requests - 4; left > 0; left -= 1) await take(realtime)
      assert.equal(
        (await realtime.ask(1, { ...NOTHING, share: { key: 8, requests: 1 } })).rate.admitted,
        false,
      )
      const next = await realtime.ask(2, { ...NOTHING, share: { key: 8, requests: 1 } })
      assert.deepEqual([next.rate.admitted, next.rate.remaining], [true, 0])
    })

    it('takes a request back, as if it had never come', async ({ realtime, advanceUs }) => {
      const share = { key: 7, requests: 5 }
      const needs = { ...NOTHING, share }
      const first = await realtime.ask(1, needs)
      advanceUs?.(1_000_000)
      const second = await realtime.ask(1, needs)
      const third = await take(realtime)
      assert.equal(third.remaining, requests - 3)
      const without = await realtime.giveBack(1, needs, first.atUs)
      assert.deepEqual([without.admitted, without.remaining], [false, share.requests - 1])
      if (advanceUs !== null) assert.equal(without.resetUs, SPAN_US)
      assert.equal((await take(realtime)).remaining, requests - 3)
      await realtime.giveBack(1, needs, second.atUs)
      const whole = await realtime.ask(1, { ...NOTHING, share })
      assert.equal(whole.rate.remaining, share.requests - 1)
      for (let left = requests - 4; left >= 0; left -= 1) {
        assert.equal((await take(realtime)).remaining, left)
      }
      assert.equal((await take(realtime)).admitted, false)
      const { remaining } = await realtime.giveBack(1, {}, whole.atUs)
      assert.deepEqual([remaining, (await take(realtime)).admitted], [1, true])
    })

    it('is empty again when its only request was taken back', async ({ realtime }) => {
      const { atUs } = await realtime.ask(1, NOTHING)
      const empty = { admitted: false, remaining: requests, resetUs: 0 }
      assert.deepEqual(await realtime.giveBack(1, {}, atUs), empty)
      assert.equal((await take(realtime)).remaining, requests - 1)
    })

    it('admits at most ten simultaneous requests', async ({ realtime }) => {
      const verdicts = await Promise.all(Array.from({ length: 50 }, () => take(realtime)))
      assert.equal(verdicts.filter(({ admitted }) => admitted).length, requests)
    })
  })
}

/** The longest duration of a test on a running clock. */
const SLACK_US = 5_000_000

function assertVerdict(verdict: RateVerdict, expected: RateVerdict, slackUs: number): void {
  const { resetUs } = verdict
  assert.deepEqual({ ...verdict, resetUs: 0 }, { ...expected, resetUs: 0 })
  assert.ok(resetUs <= expected.resetUs && resetUs >= expected.resetUs - slackUs, `${resetUs}`)
}
