import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import type { ObjectSettings } from '../../src/base/domain/monitored-object.ts'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import { anyArrival, anySettings } from './arrivals.ts'
import { driveOf, drivesOn, keptApart, rowsOf } from './drives.ts'
import { foldOn, MISSING, NOW, type StoreTest } from './fixture.ts'
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

    it('hides and shows rows by the minimum difference, at once for all of an object', async (store) => {
      const drives = await drivesOn(store, rules)
      const object = await drives.add()
      const subject = { organization: drives.organization, object }
      const shown = async (settings: Partial<ObjectSettings>) => {
        await store.objects.update(drives.organization, object, settings, NOW)
        assert.equal(await store.positions.requestRefold(subject), 1)
        assert.equal(await drives.foldOn(), 1)
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

    it('processes more than 5,000 positions slice by slice, with new ones in between', async (store) => {
      const drives = await drivesOn(store, rules)
      const [object, fresh] = [await drives.add(), await drives.add(keptApart(1_000))]
      const drive = driveOf(5_800, 60)
      await drives.append(object, drive.slice(0, 5_700))
      await store.objects.update(drives.organization, object, keptApart(1_000), NOW)
      const subject = { organization: drives.organization, object }
      await store.positions.requestRefold(subject)
      assert.equal((await store.positions.refold(null, rules))!.finished, false)
      await drives.append(object, drive.slice(5_700))
      assert.ok((await drives.foldOn()) > 1)
      await drives.append(fresh, drive)
      await drives.assertAlike(object, fresh)
    })

    it('by other rules comes before the next fixes of an object, unless it has more than 5,000', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const newer: FoldRules = {
        ...rules,
        version: rules.version + 1,
        advance: (fold, { accuracy, ...object }, fix) =>
          rules.advance(
            fold,
            { ...object, accuracy: { ...accuracy, minimumDifferencePoint: 1_000 } },
            fix,
          ),
      }
      const [small, large, both] = [await drives.add(), await drives.add(), await drives.add()]
      const drive = driveOf(5_800, 60)
      const append = (object: number, from: number, to: number, by: FoldRules) => {
        const batch = drive.slice(from, to).map((fix) => ({ object, fix }))
        return store.positions.append(organization, batch, by)
      }
      const fresh = async (to: number) => {
        const object = await drives.add()
        await append(object, 0, to, newer)
        return object
      }
      await append(small, 0, 100, rules)
      await append(large, 0, 5_700, rules)
      await append(both, 0, 100, rules)
      assert.deepEqual(await append(small, 100, 102, newer), ['accepted', 'accepted'])
      await drives.assertAlike(small, await fresh(102))
      await append(large, 5_700, 5_800, newer)
      assert.equal(rowsOf(await drives.history(large)).length, 5_700 + 5)
      // A late fix changes those before the next one too.
      await append(both, 50, 51, newer)
      await drives.assertAlike(both, await fresh(100))
      assert.equal(await store.positions.requestNewRules(organization, newer), 0)
      assert.ok((await foldOn(store, newer)) > 1)
      await drives.assertAlike(large, await fresh(5_800))
    })

    it('is due for the objects that other rules have folded', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const newer = { ...rules, version: rules.version + 1 }
      const objects = [await drives.add(), await drives.add()]
      const [both, none] = [await drives.add(), await drives.add()]
      const append = (object: number, from: number, by: FoldRules) => {
        const fixes = driveOf(1_200, 60).slice(from, from + 600)
        return store.positions.append(
          organization,
          fixes.map((fix) => ({ object, fix })),
          by,
        )
      }
      const request = (by = newer) => store.positions.requestNewRules(organization, by)
      for (const object of [...objects, both]) await append(object, 0, rules)
      await store.positions.address(organization, new Map([[none, { value: 'Kai 1', at: 1 }]]))
      await append(both, 600, newer)
      assert.equal(await request(), 2)
      const refolded: [number, boolean][] = []
      for (;;) {
        const slice = await store.positions.refold(null, newer)
        if (slice === null) break
        refolded.push([slice.object, slice.finished])
        // One that has begun is not begun again.
        const left = objects.filter((each) => !refolded.some(([object]) => object === each))
        assert.equal(await request(), left.length)
      }
      const finished = refolded.filter(([, isFinished]) => isFinished).map(([object]) => object)
      assert.deepEqual(finished, objects)
      const fresh = await drives.add()
      await append(fresh, 0, newer)
      assert.equal(await request(), 0)
      assert.equal(await request(rules), 4)
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
      const waiting = [drives.organization, others.organization, null]
      assert.deepEqual(await Promise.all(waiting.map(store.positions.waitingForRefold)), [2, 0, 2])
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
