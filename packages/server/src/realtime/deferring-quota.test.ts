import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { deferringQuota } from './deferring-quota.ts'
import { type DailyQuota, QuotaUnavailable } from './realtime.ts'

const TODAY = 20_778

/** Counters that are down whenever the test says so. */
function flakyQuota() {
  const counts = new Map<string, number>()
  const state = { down: false, counts }
  const add = async (
    organization: number,
    objects: readonly number[],
    day: number,
    delta: number,
  ) => {
    // As over a network: others get their turn before the answer comes.
    await Promise.resolve()
    if (state.down) throw new QuotaUnavailable('down')
    return Math.max(
      ...objects.map((object) => {
        const counter = `${organization} ${day} ${object}`
        counts.set(counter, (counts.get(counter) ?? 0) + delta)
        return counts.get(counter)!
      }),
    )
  }
  const quota: DailyQuota = {
    charge: async (organization, { objects, day }) => ({
      charged: true,
      used: await add(organization, objects, day, 1),
    }),
    used: async () => [],
    async giveBack(organization, objects, day) {
      await add(organization, objects, day, -1)
    },
  }
  return { state, quota: deferringQuota(quota) }
}

describe('A quota whose counters are down', () => {
  it('charges nobody that has a limit', async () => {
    const { state, quota } = flakyQuota()
    state.down = true
    await assert.rejects(quota.charge(1, { objects: [1], limit: 5, day: TODAY }), QuotaUnavailable)
    state.down = false
    assert.deepEqual(await quota.charge(1, { objects: [1], limit: 5, day: TODAY }), {
      charged: true,
      used: 1,
    })
  })

  it('goes on for whom no limit can refuse, and makes up for it before the next charge', async () => {
    const { state, quota } = flakyQuota()
    state.down = true
    assert.deepEqual(await quota.charge(1, { objects: [1, 2], limit: null, day: TODAY }), {
      charged: true,
      used: null,
    })
    await quota.charge(1, { objects: [1], limit: null, day: TODAY })
    await quota.giveBack(1, [2], TODAY)
    await assert.rejects(quota.charge(1, { objects: [1], limit: 5, day: TODAY }), QuotaUnavailable)
    assert.equal(state.counts.size, 0)
    state.down = false
    assert.deepEqual(await quota.charge(1, { objects: [1], limit: 5, day: TODAY }), {
      charged: true,
      used: 3,
    })
    assert.equal(state.counts.get(`1 ${TODAY} 2`) ?? 0, 0)
  })

  it('is settled once, however many come at the same time', async () => {
    const { state, quota } = flakyQuota()
    state.down = true
    for (let i = 0; i < 5; i++) await quota.charge(1, { objects: [1], limit: null, day: TODAY })
    state.down = false
    await Promise.all(
      Array.from({ length: 20 }, () => quota.charge(1, { objects: [1], limit: null, day: TODAY })),
    )
    assert.equal(state.counts.get(`1 ${TODAY} 1`), 25)
  })

  it('is settled without another call too', async () => {
    const { state, quota } = flakyQuota()
    state.down = true
    for (const organization of [1, 2]) {
      await quota.charge(organization, { objects: [1, 2], limit: null, day: TODAY })
      await quota.charge(organization, { objects: [1], limit: null, day: TODAY })
    }
    quota.settle()
    assert.ok(quota.owes(1) && quota.owes(2))
    state.down = false
    quota.settle()
    await quota.charge(1, { objects: [3], limit: 1, day: TODAY })
    await quota.charge(2, { objects: [3], limit: 1, day: TODAY })
    assert.ok(!quota.owes(1) && !quota.owes(2))
    for (const organization of [1, 2]) {
      assert.equal(state.counts.get(`${organization} ${TODAY} 1`), 2)
      assert.equal(state.counts.get(`${organization} ${TODAY} 2`), 1)
    }
  })

  it('lets through what is no outage', async () => {
    const fault = new TypeError('a fault')
    const quota = deferringQuota({
      charge: async () => {
        throw fault
      },
    } as Partial<DailyQuota> as DailyQuota)
    await assert.rejects(quota.charge(1, { objects: [1], limit: null, day: TODAY }), fault)
  })

  it('has in the end counted all that it let through, whenever they were down', async () => {
    const anyCall = fc.record({
      down: fc.boolean(),
      call: fc.constantFrom('charge', 'limited', 'giveBack'),
      object: fc.nat(2),
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
        for (const { down, call, object, day, waits } of calls) {
          state.down = down
          const counter = `1 ${day} ${object}`
          const made =
            call === 'charge'
              ? quota.charge(1, { objects: [object], limit: null, day }).then(() => add(counter, 1))
              : call === 'limited'
                ? quota.charge(1, { objects: [object], limit: 9, day }).then(
                    () => add(counter, 1),
                    (error) => assert.ok(error instanceof QuotaUnavailable),
                  )
                : quota.giveBack(1, [object], day).then(() => add(counter, -1))
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
