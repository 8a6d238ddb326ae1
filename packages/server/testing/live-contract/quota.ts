import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { DailyQuota } from '../../src/data/live/realtime.ts'
import { type RealtimeTest, TODAY } from './fixture.ts'

/** Hundredths: counters and amounts are in hundredths of a unit, and limits in units. */
const UNIT = 100

/** A charge of one unit each. */
const whole = (objects: number[], limit: number | null, day = TODAY) => ({ objects, limit, day })
const charged = (used: number | null) => ({ charged: true, used })
const exhausted = (objects: number[], left: number[]) => {
  return { charged: false, exhausted: objects, left }
}

export function quotaContract(name: string, it: RealtimeTest): void {
  describe(`The daily quota of ${name}`, () => {
    it('charges up to the limit and names exhausted objects, in the requested order', async ({
      quota,
    }) => {
      for (const object of [7, 9]) {
        assert.deepEqual(await quota.charge(1, whole([object], 2)), charged(100))
        assert.deepEqual(await quota.charge(1, whole([object], 2)), charged(200))
      }
      const refused = await quota.charge(1, whole([9, 8, 7], 2))
      assert.deepEqual(refused, exhausted([9, 7], [0, 0]))
    })

    it('refuses everything at a limit of 0, and nothing without one', async ({ quota }) => {
      const refused = exhausted([1], [0])
      assert.deepEqual(await quota.charge(1, whole([1], 0)), refused)
      for (let used = 1; used <= 30; used++) {
        assert.deepEqual(await quota.charge(1, whole([1], null)), charged(used * UNIT))
      }
      assert.equal((await quota.charge(1, whole([1], 30))).charged, false)
      assert.equal((await quota.charge(1, whole([1], 31))).charged, true)
    })

    it('starts again on each UTC day, while the previous day still counts', async ({ quota }) => {
      const isCharged = async (day: number) => (await quota.charge(1, whole([1], 1, day))).charged
      assert.deepEqual([await isCharged(TODAY - 1), await isCharged(TODAY)], [true, true])
      assert.deepEqual([await isCharged(TODAY - 1), await isCharged(TODAY)], [false, false])
      assert.deepEqual([await isCharged(TODAY + 1), await isCharged(TODAY)], [true, false])
    })

    it('never exceeds the limit in simultaneous charges', async ({ quota }) => {
      const verdicts = await Promise.all(
        Array.from({ length: 60 }, (_, i) => quota.charge(1, whole([5, 6 + (i % 2)], 20))),
      )
      assert.equal(verdicts.filter(({ charged }) => charged).length, 20)
    })

    it('accepts a thousand objects with any ids in one charge', async ({ quota }) => {
      const objects = Array.from({ length: 1_000 }, (_, i) => Number.MAX_SAFE_INTEGER - i)
      assert.deepEqual(await quota.charge(1, whole(objects, 1)), charged(100))
      const refused = exhausted(
        objects,
        objects.map(() => 0),
      )
      assert.deepEqual(await quota.charge(1, whole(objects, 1)), refused)
    })

    it('reports the counts of a day after a moment at most, over restarts', async ({
      realtime,
      restart,
    }) => {
      const { quota } = realtime
      const asked = [9, 1, 2, 404]
      assert.deepEqual(await quota.used(1, asked, TODAY), [0, 0, 0, 0])
      assert.deepEqual(await quota.used(1, [], TODAY), [])
      await quota.charge(1, whole([1, 2], null))
      await quota.charge(1, whole([1], 5))
      await quota.charge(1, whole([2, 1], 1))
      await quota.charge(1, whole([9], null, TODAY + 1))
      await quota.charge(2, whole([3], null))
      await quota.charge(1, whole([9], null))
      await quota.giveBack(1, { objects: [9], day: TODAY })
      await becomes([0, 200, 100, 0], () => quota.used(1, asked, TODAY))
      await becomes([100, 0, 0, 0], () => quota.used(1, asked, TODAY + 1))
      const { quota: after } = await restart()
      assert.deepEqual(await after.used(1, asked, TODAY), [0, 200, 100, 0])
    })

    it('tells what is left for each refused object, and charges none', async ({ quota }) => {
      const spent = { objects: [1, 2, 3], hundredths: [299, 150, 50], limit: 3, day: TODAY }
      await quota.charge(1, spent)
      const page = { objects: [3, 2, 1, 4], hundredths: [251, 150, 2, 301], limit: 3, day: TODAY }
      assert.deepEqual(await quota.charge(1, page), exhausted([3, 1, 4], [250, 1, 300]))
      const units = await quota.charge(1, whole([1, 2, 3], 3))
      assert.deepEqual(units, exhausted([1], [1]))
      const lowered = await quota.charge(1, { ...spent, limit: 1 })
      assert.deepEqual(lowered, exhausted([1, 2], [0, 0]))
      const payable = { objects: [3, 1, 4], hundredths: [250, 1, 300], limit: 3, day: TODAY }
      assert.deepEqual(await quota.charge(1, payable), charged(300))
    })

    it('requires a unit of objects that it does not charge', async ({ realtime, restart }) => {
      const { quota } = realtime
      const look = { objects: [], ableToPay: [1, 2, 3], limit: 2, day: TODAY }
      assert.deepEqual(await quota.charge(1, look), charged(null))
      const { charge: asked } = await realtime.ask(1, { charge: look, shown: [] })
      assert.deepEqual(asked, charged(null))
      const spent = { objects: [1, 2], hundredths: [200, 101], limit: 2, day: TODAY }
      await quota.charge(1, spent)
      const some = { ...look, objects: [3, 2], ableToPay: [4, 1] }
      const refused = exhausted([2, 1], [99, 0])
      assert.deepEqual(await quota.charge(1, some), refused)
      assert.deepEqual((await realtime.ask(1, { charge: some, shown: [] })).charge, refused)
      const paid = await quota.charge(1, { ...look, objects: [3], ableToPay: [4] })
      assert.deepEqual(paid, charged(100))
      await becomes([200, 101, 100, 0], () => quota.used(1, [1, 2, 3, 4], TODAY))
      const { quota: after } = await restart()
      assert.deepEqual(
        await after.charge(1, { ...look, ableToPay: [4, 3, 2] }),
        exhausted([2], [99]),
      )
    })

    it('charges hundredths in the same call as the window', async ({ realtime }) => {
      const charge = { objects: [1, 2], hundredths: [7, 1], limit: 1, day: TODAY }
      const asked = await realtime.ask(1, { charge, shown: [] })
      assert.deepEqual(asked.charge, charged(7))
      const more = { ...charge, hundredths: [94, 99] }
      const refused = await realtime.ask(1, { charge: more, shown: [] })
      assert.deepEqual(refused.charge, exhausted([1], [93]))
    })

    it('equals the direct implementation of the rule, over restarts', async ({
      realtime,
      restart,
    }) => {
      let { quota } = realtime
      // Objects that no other run has used, so that every run starts at zero.
      let run = 0
      await fc.assert(
        fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), async (steps) => {
          run += 1
          const model = new Map<string, number>()
          for (const step of steps) {
            if (step.kind === 'restart') quota = (await restart()).quota
            else
              await play(quota, model, {
                ...step,
                objects: step.objects.map((id) => run * 10 + id),
              })
          }
        }),
        { numRuns: 40 },
      )
    })
  })
}

type Deed = {
  kind: 'charge' | 'giveBack'
  objects: number[]
  /** Undefined: a whole unit each. */
  amounts: number[] | undefined
  limit: number | null
  day: number
}
type Step = Deed | { kind: 'restart' }

/** Whole units, amounts around them, and single hundredths. */
const anyAmount = fc.oneof(
  fc.constant(1),
  fc.nat(450),
  fc.constantFrom(0, 99, 100, 101, 200, 1_000_000),
)

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .record({
        kind: fc.constantFrom('charge', 'charge', 'charge', 'giveBack'),
        due: fc.uniqueArray(fc.tuple(fc.nat(5), anyAmount), {
          minLength: 1,
          maxLength: 4,
          selector: ([object]) => object,
        }),
        isWhole: fc.boolean(),
        limit: fc.option(fc.nat(6), { nil: null }),
        day: fc.constantFrom(TODAY - 1, TODAY),
      })
      .map(({ due, isWhole, ...rest }) => ({
        ...rest,
        objects: due.map(([object]) => object),
        amounts: isWhole ? undefined : due.map(([, amount]) => amount),
      })),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
)

/** Runs one step, and compares its verdict with a direct implementation of the rule in whole hundredths. */
async function play(
  quota: DailyQuota,
  model: Map<string, number>,
  { kind, objects, amounts, limit, day }: Deed,
): Promise<void> {
  const used = (object: number) => model.get(`${day} ${object}`) ?? 0
  const amountOf = (i: number) => amounts?.[i] ?? UNIT
  const add = (object: number, delta: number) => {
    model.set(`${day} ${object}`, used(object) + delta)
    return used(object)
  }
  const hundredths = amounts === undefined ? {} : { hundredths: amounts }
  if (kind === 'giveBack') {
    if (objects.some((object, i) => used(object) < amountOf(i))) return
    await quota.giveBack(1, { objects, ...hundredths, day })
    for (const [i, object] of objects.entries()) add(object, -amountOf(i))
    return
  }
  const refused = objects.filter((object, i) => {
    return limit !== null && used(object) + amountOf(i) > limit * UNIT
  })
  const verdict = await quota.charge(1, { objects, ...hundredths, limit, day })
  if (refused.length > 0) {
    const left = refused.map((object) => Math.max(0, limit! * UNIT - used(object)))
    assert.deepEqual(verdict, { charged: false, exhausted: refused, left })
  } else {
    const most = Math.max(...objects.map((object, i) => add(object, amountOf(i))))
    assert.deepEqual(verdict, charged(most))
  }
}

const PATIENCE_MS = 10_000

async function becomes(expected: number[], ask: () => Promise<number[]>): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS
  let found = await ask()
  while (!isDeepStrictEqual(found, expected) && performance.now() < giveUpAt) found = await ask()
  assert.deepEqual(found, expected)
}
