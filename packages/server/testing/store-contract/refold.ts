import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import type { ObjectSettings } from '../../src/base/domain/monitored-object.ts'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import { anyArrival, anySettings } from './arrivals.ts'
import { driveOf, drivesOn, keptApart, rowsOf } from './drives.ts'
import { MISSING, NOW, type StoreTest } from './fixture.ts'
import { runsOr } from './runs.ts'

export function refoldContract(it: StoreTest, rules: FoldRules): void {
  describe('A recompute', () => {
    it('uses the present settings, and fixes that arrived meanwhile', async (store) => {
      const drives = await drivesOn(store, rules)
      await fc.assert(
        fc.asyncProperty(anyArrival, anySettings, anySettings, async (arrival, was, is) => {
          const [changed, fresh] = [await drives.add(was), await drives.add(is)]
          const half = Math.ceil(arrival.batches.length / 2)
          for (const batch of arrival.batches.slice(0, half)) await drives.append(changed, batch)
          await store.objects.update(drives.organization, changed, is, NOW)
          const subject = { organization: drives.organization, object: changed }
          assert.equal(await store.positions.requestRefold(subject), 1)
          for (const batch of arrival.batches.slice(half)) await drives.append(changed, batch)
          await drives.foldOn()
          await drives.append(fresh, arrival.fixes)
          await drives.assertAlike(changed, fresh)
        }),
        { numRuns: runsOr(20) },
      )
    })

    it('hides and shows rows by the minimum difference, and processes thousands slice by slice', async (store) => {
      const drives = await drivesOn(store, rules)
      const object = await drives.add()
      const subject = { organization: drives.organization, object }
      const shown = async (settings: Partial<ObjectSettings>) => {
        await store.objects.update(drives.organization, object, settings, NOW)
        assert.equal(await store.positions.requestRefold(subject), 1)
        assert.ok((await drives.foldOn()) > 1)
        const fresh = await drives.add(settings)
        await drives.append(fresh, drive)
        await drives.assertAlike(object, fresh)
        return rowsOf(await drives.history(object)).length
      }
      const drive = driveOf(1_200, 60)
      await drives.append(object, drive)
      assert.equal(await shown(keptApart(100)), 600)
      assert.equal(await shown(keptApart(1_000)), 71)
      assert.equal(await shown(keptApart(0)), 1_200)
    })

    it('is due for the objects that other rules have folded', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const newer = { ...rules, version: rules.version + 1 }
      const [older, both, none] = [await drives.add(), await drives.add(), await drives.add()]
      const append = (object: number, from: number, by: FoldRules) => {
        const fixes = driveOf(1_200, 60).slice(from, from + 600)
        return store.positions.append(
          organization,
          fixes.map((fix) => ({ object, fix })),
          by,
        )
      }
      const request = (by = newer) => store.positions.requestNewRules(organization, by)
      for (const object of [older, both]) await append(object, 0, rules)
      await store.positions.address(organization, new Map([[none, { value: 'Kai 1', at: 1 }]]))
      await append(both, 600, newer)
      assert.equal(await request(rules), 0)
      assert.equal(await request(), 2)
      const refolded: [number, boolean][] = []
      for (;;) {
        const slice = await store.positions.refold(null, newer)
        if (slice === null) break
        refolded.push([slice.object, slice.finished])
        // One that has begun is not begun again.
        const left = [older, both].filter((each) => !refolded.some(([object]) => object === each))
        assert.equal(await request(), left.length)
      }
      const finished = refolded.filter(([, isFinished]) => isFinished).map(([object]) => object)
      assert.deepEqual(finished, [older, both])
      const fresh = await drives.add()
      await append(fresh, 0, newer)
      assert.equal(await request(), 0)
      assert.equal(await request(rules), 3)
      assert.equal(await store.positions.requestNewRules(MISSING, newer), 0)
      await drives.foldOn()
    })

    it('is requested for an object or organization, and affects no others', async (store) => {
      const [drives, others] = [await drivesOn(store, rules), await drivesOn(store, rules)]
      const objects = [await drives.add(), await drives.add(), await drives.add()]
      for (const object of objects.slice(0, 2)) await drives.append(object, driveOf(5, 60))
      const other = await others.add()
      await others.append(other, driveOf(5, 60))
      const whole = { organization: drives.organization, object: null }
      // An object without reports has nothing to fold.
      assert.equal(await store.positions.requestRefold(whole), 2)
      assert.equal(
        await store.positions.refold({ organization: others.organization, object: null }, rules),
        null,
      )
      assert.equal(await drives.foldOn(), 2)
      assert.equal(await store.positions.requestRefold({ ...whole, object: MISSING }), 0)
      assert.equal(
        await store.positions.requestRefold({ organization: drives.organization, object: other }),
        0,
      )
      assert.equal(await store.positions.refold(null, rules), null)
    })
  })
}
