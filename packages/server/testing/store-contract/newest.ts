import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import { FIX_FLAG } from '../../src/base/domain/position/fix-record.ts'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import { timeIn } from '../../src/base/domain/position/position-columns.ts'
import type { PositionName } from '../../src/engine/store/change-log.ts'
import {
  ALL_TIME,
  append,
  fixAt,
  foldOn,
  newObject,
  newOrganization,
  type StoreTest,
} from './fixture.ts'

const anyTimes = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 12 })
const anyRange = fc.tuple(fc.nat(45), fc.nat(45)).map(([a, b]) => ({ from: a, to: b }))

export function newestContract(it: StoreTest, rules: FoldRules): void {
  describe('The newest positions in a range', () => {
    it('equal a plain filter, without objects of others', async (store) => {
      const [owner, other] = [await newOrganization(store), await newOrganization(store)]
      const foreign = await newObject(store, other, 'foreign')
      await append(store, other, foreign, [fixAt(20)])
      let added = 0
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyTimes, { minLength: 1, maxLength: 4 }),
          anyRange,
          async (drives, range) => {
            const expected: PositionName[] = []
            const objects: number[] = []
            for (const times of drives) {
              added += 1
              const object = await newObject(store, owner, `n${added}`)
              objects.push(object)
              await append(
                store,
                owner,
                object,
                times.map((time) => fixAt(time)),
              )
              const inside = times.filter((time) => time >= range.from && time <= range.to)
              if (inside.length > 0) expected.push({ object, time: Math.max(...inside) })
            }
            const found = await store.changeLog.view(owner, (view) =>
              view.newest([...objects, foreign], range),
            )
            assert.deepEqual(
              found!
                .map(({ object, time }) => ({ object, time }))
                .sort((a, b) => a.object - b.object),
              expected,
            )
          },
        ),
        { numRuns: 15 },
      )
    })
  })

  describe('A late position', () => {
    it('is marked, and stays so when positions are folded again', async (store) => {
      const owner = await newOrganization(store)
      const object = await newObject(store, owner, 'late')
      const late = async () => {
        const { blocks } = await store.positions.history(owner, object, ALL_TIME, null)
        const times: number[] = []
        for await (const columns of blocks) {
          for (let row = 0; row < columns.rows; row += 1) {
            if ((columns.flags[row]! & FIX_FLAG.late) !== 0) times.push(timeIn(columns, row))
          }
        }
        return times
      }
      await append(store, owner, object, [fixAt(10), fixAt(30)])
      await append(store, owner, object, [fixAt(20), fixAt(40)])
      await append(store, owner, object, [fixAt(15)])
      assert.deepEqual(await late(), [15, 20])
      const scope = { organization: owner, object }
      await store.positions.requestRefold(scope)
      await foldOn(store, rules, scope)
      assert.deepEqual(await late(), [15, 20])
    })
  })
}
