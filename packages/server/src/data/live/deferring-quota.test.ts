import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { deferringQuota } from './deferring-quota.ts'
import { type Amounts, amountAt, type DailyQuota, QuotaUnavailable } from './realtime.ts'

const TODAY = 20_778

/** Counters that are down when the test says so. */
function flakyQuota() {
  const counts = new Map<string, number>()
  const state = { down: false, counts }
  const add = async (organization: number, amounts: Amounts, sign: number) => {
    // As over a network: other tasks run before the answer arrives.
    await Promise.resolve()
    if (state.down) throw new QuotaUnavailable('down')
    return Math.max(
      ...amounts.objects.map((object, i) => {
        const counter = `${organization} ${amounts.day} ${object}`
        counts.set(counter, (counts.get(counter) ?? 0) + sign * amountAt(amounts, i))
        return counts.get(counter)!
      }),
    )
  }
  const quota: DailyQuota = {
    charge: async (organization, charge) => ({
      charged: true,
      used: await add(organization, charge, 1),
    }),
    used: async () => [],
    async giveBack(organization, amounts) {
      await add(organization, amounts, -1)
    },
  }
  return { state, quota: deferringQuota(quota) }
}

describe('A quota whose counters are down', () => {
  it('refuses charges against a limit', async () => {
    const { state, quota } = flakyQuota()
    state.down = true
    await assert.rejects(quota.charge(1, { objects: [1], limit: 5, day: TODAY }), QuotaUnavailable)
    state.down = false
    assert.deepEqual(await quota.charge(1, { objects: [1], limit: 5, day: TODAY }), {
      charged: true,
      used: 100,
    })
  })

  it('continues for objects without a limit, and charges later before the next charge', async () => {
    const { state, quota } = flakyQuota()
    state.down = true
    assert.deepEqual(await quota.charge(1, { objects: [1, 2], limit: null, day: TODAY }), {
      charged: true,
      used: null,
    })
    await quota.charge(1, { objects: [1], limit: null, day: TODAY })
    await quota.giveBack(1, { objects: [2], day: TODAY })
    await assert.rejects(quota.charge(1, { objects: [1], limit: 5, day: TODAY }), QuotaUnavailable)
    assert.equal(state.counts.size, 0)
    state.down = false
    assert.deepEqual(await quota.charge(1, { objects: [1], limit: 5, day: TODAY }), {
      charged: true,
      used: 300,
    })
    assert.equal(state.counts.get(`1 ${TODAY} 2`) ?? 0, 0)
  })

  it('is settled once, by any number of simultaneous calls', async () => {
    const { state, quota } = flakyQuota()
    state.down = true
    for (let i = 0; i < 5; i++) await quota.charge(1, { objects: [1], limit: null, day: TODAY })
    state.down = false
    await Promise.all(
      Array.from({ length: 20 }, () => quota.charge(1, { objects: [1], limit: null, day: TODAY })),
    )
    assert.equal(state.counts.get(`1 ${TODAY} 1`), 2_500)
  })

  it('is settled without another call too', async () => {
    const { state, quota } = flakyQuota()
    state.down = true
    for (const organization of [1, 2]) {
      await quota.charge(organization, { objects: [1, 2], limit: null, day: TODAY })
      await quota.charge(organization, { objects: [1], limit: null, day: TODAY })
    }
    quota.settle()
    assert.ok(quota.debtors.has(1) && quota.debtors.has(2))
    state.down = false
    quota.settle()
    await quota.charge(1, { objects: [3], limit: 1, day: TODAY })
    await quota.charge(2, { objects: [3], limit: 1, day: TODAY })
    assert.ok(!quota.debtors.has(1) && !quota.debtors.has(2))
    for (const organization of [1, 2]) {
      assert.equal(state.counts.get(`${organization} ${TODAY} 1`), 200)
      assert.equal(state.counts.get(`${organization} ${TODAY} 2`), 100)
    }
  })

  it('passes on errors other than outages', async () => {
    const fault = new TypeError('a fault')
    const quota = deferringQuota({
      charge: async () => {
        throw fault
      },
    } as Partial<DailyQuota> as DailyQuota)
    await assert.rejects(quota.charge(1, { objects: [1], limit: null, day: TODAY }), fault)
  })

  it('has counted all admitted charges in the end, after any outages', async () => {
    const anyCall = fc.record({
      down: fc.boolean(),
      call: fc.constantFrom('charge', 'limited', 'giveBack'),
      object: fc.nat(2),
      amount: fc.integer({ min: 1, max: 250 }),
      day: fc.constantFrom(TODAY, TODAY + 1),
      waits: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { maxLength: 30 }), async (calls) => {
        const { state, quota } = flakyQuota()
        const expected = new Map<string, number>()
        const add = (counter: string, delta: number) =>
          expected.set(counter, (expected.get(counter) ?? 0) + delta)
        const under: Promise<unknown>[] = []
        for (const { down, call, object, amount, day, waits } of calls) {
          state.down = down
          const counter = `1 ${day} ${object}`
          const due = { objects: [object], hundredths: [amount], day }
          const made =
            call === 'charge'
              ? quota.charge(1, { ...due, limit: null }).then(() => add(counter, amount))
              : call === 'limited'
                ? quota.charge(1, { ...due, limit: 9 }).then(
                    () => add(counter, amount),
                    (error) => assert.ok(error instanceof QuotaUnavailable),
                  )
                : quota.giveBack(1, due).then(() => add(counter, -amount))
          under.push(made)
          if (waits) await made
        }
        await Promise.all(under)
        state.down = false
        await quota.charge(1, { objects: [9], limit: 1, day: TODAY })
        for (const [counter, count] of expected) {
          assert.equal(state.counts.get(counter) ?? 0, count, counter)
        }
      }),
      { numRuns: 300 },
    )
  })
})
