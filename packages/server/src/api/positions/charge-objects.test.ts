import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { quotaExhausted } from '../refusal.ts'
import { chargeObjects } from './charge-objects.ts'

/** A quota of one organization: what each object has left, and what was charged. */
function quotaWith(left: ReadonlyMap<number, number>) {
  const charged: number[] = []
  return {
    charged,
    async charge({ objects }: { objects: readonly number[] }) {
      const exhausted = objects.filter((object) => left.get(object) === 0)
      if (exhausted.length === 0) charged.push(...objects)
      return exhausted.length === 0
        ? undefined
        : { exhausted, left: exhausted.map(() => 0), refusal: quotaExhausted(exhausted) }
    },
  }
}

const anyLeft = fc
  .uniqueArray(fc.tuple(fc.nat(30), fc.nat(1)), { selector: ([object]) => object, maxLength: 20 })
  .map((pairs) => new Map(pairs))

describe('The charge of a page', () => {
  it('is for exactly the objects that the page contains', async () => {
    await fc.assert(
      fc.asyncProperty(anyLeft, fc.boolean(), async (left, skips) => {
        const objects = [...left.keys()]
        const quota = quotaWith(left)
        const paid = await chargeObjects(objects, skips, quota.charge)
        const isWhole = objects.every((object) => left.get(object)! > 0)
        const payable = objects.filter((object) => left.get(object)! > 0)
        if (isWhole || (skips && payable.length > 0)) {
          assert.deepEqual(paid, payable)
          assert.deepEqual(quota.charged, payable)
        } else {
          assert.ok('status' in paid)
          assert.deepEqual(quota.charged, [])
        }
      }),
    )
  })
})
