import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ORGANIZATION_DEFAULTS } from '../../base/domain/organization.ts'
import type { OwnObject } from '../../data/cache/fleet-objects.ts'
import { quotaExhausted } from '../refusal.ts'
import type { Due } from '../request-limits.ts'
import { chargeFound, mustBeAbleToPay } from './charge-objects.ts'

const LIMITED = {
  ...ORGANIZATION_DEFAULTS,
  id: 1,
  name: '',
  dailyQuota: 1,
  createdAt: 0,
  updatedAt: 0,
}

/** A quota of one organization: what each object has left, and what was charged. */
function quotaWith(left: Map<number, number>) {
  const charged: number[] = []
  return {
    charged,
    async charge({ objects, ableToPay = [] }: Due) {
      const asked = new Set([...objects, ...ableToPay])
      const exhausted = [...asked].filter((object) => left.get(object) === 0)
      if (exhausted.length === 0) charged.push(...objects)
      return exhausted.length === 0
        ? undefined
        : { exhausted, left: exhausted.map(() => 0), refusal: quotaExhausted(exhausted) }
    },
  }
}

const rowsOf = (ids: readonly number[]) => ids.map((id) => ({ object: { id } }) as OwnObject)
const idsOf = (rows: readonly OwnObject[]) => rows.map(({ object }) => object.id)

/** The units that each asked object has left, and the objects that have a row. */
const anyAsked = fc
  .uniqueArray(fc.tuple(fc.nat(30), fc.nat(1), fc.boolean()), {
    selector: ([object]) => object,
    maxLength: 20,
  })
  .map((asked) => ({
    left: new Map(asked.map(([object, units]) => [object, units])),
    withRow: asked.flatMap(([object, , hasRow]) => (hasRow ? [object] : [])),
  }))

describe('The charge of an answer', () => {
  it('is for the objects in it, and refused if any asked object is exhausted', async () => {
    await fc.assert(
      fc.asyncProperty(anyAsked, fc.boolean(), async ({ left, withRow }, skipsExhausted) => {
        const asked = [...left.keys()]
        const exhausted = asked.filter((object) => left.get(object) === 0)
        const before = mustBeAbleToPay(LIMITED, asked)
        const { charge, charged } = quotaWith(left)
        const looked = skipsExhausted || (await charge(before!)) === undefined
        if (!looked) return assert.ok(exhausted.length > 0)
        const seen: number[] = []
        const answered = await chargeFound(
          { before, skipsExhausted },
          (isExhausted) => {
            const payable = withRow.filter((object) => !isExhausted(object))
            seen.push(...payable)
            return rowsOf(payable)
          },
          charge,
        )
        assert.ok(seen.every((object) => !exhausted.includes(object)))
        if (exhausted.length > 0 && exhausted.length === asked.length) {
          assert.ok('status' in answered)
          return assert.deepEqual(charged, [])
        }
        assert.ok('rows' in answered)
        const payable = withRow.filter((object) => !exhausted.includes(object))
        assert.deepEqual(idsOf(answered.rows), payable)
        assert.deepEqual(charged, payable)
        assert.deepEqual(answered.withheld, exhausted)
      }),
    )
  })

  it('leaves out an object that others exhaust between the check and the charge', async () => {
    for (const [spent, withRow] of [
      [2, [1, 2]],
      [2, [1]],
    ] as const) {
      for (const skipsExhausted of [true, false]) {
        const left = new Map([1, 2].map((object) => [object, 1]))
        const { charge, charged } = quotaWith(left)
        const before = mustBeAbleToPay(LIMITED, [1, 2])
        const find = () => {
          left.set(spent, 0)
          return rowsOf(withRow)
        }
        const answered = await chargeFound({ before, skipsExhausted }, find, charge)
        if (!skipsExhausted) {
          assert.ok('status' in answered)
          assert.deepEqual(charged, [])
          continue
        }
        assert.ok('rows' in answered)
        assert.deepEqual([idsOf(answered.rows), answered.withheld, charged], [[1], [2], [1]])
      }
    }
  })

  it('asks nothing without a quota', () => {
    assert.equal(mustBeAbleToPay({ ...LIMITED, dailyQuota: null }, [1]), null)
  })
})
