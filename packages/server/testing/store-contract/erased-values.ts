import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import type { Fix } from '../../src/base/domain/position/fix.ts'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import { isWithin, type TimeRange } from '../../src/base/domain/time/time.ts'
import type { Store } from '../../src/engine/store/store.ts'
import { type Arrival, anyArrival, anySettings } from './arrivals.ts'
import { driveOf, drivesOn, rowsOf } from './drives.ts'
import { anyShare, eraseAll, rangeOf } from './erasures.ts'
import { NOW, type StoreTest } from './fixture.ts'
import { runsOr } from './runs.ts'

export function erasedValueContract(it: StoreTest, rules: FoldRules): void {
  /** Which of two fixes of a moment is kept may depend on a value, so these have moments of their own. */
  const anyApart: fc.Arbitrary<Arrival> = anyArrival.map(({ fixes, batches }) => {
    const apart = new Map(fixes.map((fix) => [fix.timeDevice, fix]))
    const isKept = (fix: Fix) => apart.get(fix.timeDevice) === fix
    return {
      fixes: fixes.filter(isKept),
      batches: batches.map((batch) => batch.filter(isKept)),
    }
  })
  const NAMES = ['fuel', 'door', 'driver', 'temp1', 'rpm']
  type Erased = { range: TimeRange; names: string[] }
  const without = (fix: Fix, erased: readonly Erased[]): Fix => {
    const isErased = (name: string) =>
      erased.some(({ range, names }) => isWithin(range, fix.timeDevice) && names.includes(name))
    const attributes = fix.attributes?.filter(({ name }) => !isErased(name)) ?? []
    return { ...fix, attributes: attributes.length === 0 ? null : attributes }
  }

  /** Whether the object is as one whose device never sent the values, whenever they were erased among the batches. */
  async function assertErased(
    store: Store,
    drives: Awaited<ReturnType<typeof drivesOn>>,
    { fixes, batches }: Arrival,
    erased: readonly Erased[],
    { share, settings }: { share: number; settings: object },
  ) {
    const { organization } = drives
    const [object, other] = [await drives.add(settings), await drives.add(settings)]
    const first = Math.round(share * batches.length)
    for (const batch of batches.slice(0, first)) await drives.append(object, batch)
    for (const { range, names } of erased) {
      for (const attribute of names) {
        const what = { ranges: [range], attribute }
        assert.equal(await store.positions.erase(organization, object, what, NOW), 1)
      }
    }
    if (share < 0.5) await eraseAll(store, rules)
    for (const batch of batches.slice(first)) {
      const outcomes = await drives.append(object, batch)
      assert.ok(outcomes.every((each) => each !== 'erased'))
    }
    await eraseAll(store, rules)
    await drives.foldOn()
    await drives.append(
      other,
      fixes.map((fix) => without(fix, erased)),
    )
    await drives.foldOn()
    await drives.assertAlike(object, other)
  }

  describe('Erased values of attributes', () => {
    it('leave their object as if its device had not sent them, in whatever order', async (store) => {
      const drives = await drivesOn(store, rules)
      const anyErased = fc.array(
        fc.record({ part: anyShare, names: fc.subarray(NAMES, { minLength: 1 }) }),
        { minLength: 1, maxLength: 2 },
      )
      const anyWay = fc.record({
        share: fc.double({ min: 0, max: 1, noNaN: true }),
        settings: anySettings,
      })
      await fc.assert(
        fc.asyncProperty(anyApart, anyErased, anyWay, (arrival, parts, way) => {
          const erased = parts.map(({ part, names }) => ({
            range: rangeOf(arrival.fixes, part),
            names,
          }))
          return assertErased(store, drives, arrival, erased, way)
        }),
        { numRuns: runsOr(30) },
      )
    })

    const valued = (fix: Fix, driver: string): Fix => {
      return { ...fix, attributes: [{ name: 'driver', value: driver }] }
    }

    it('go slice by slice, the newest first, and positions stay', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const object = await drives.add()
      const drive = driveOf(1_300, 60).map((fix) => valued(fix, 'A. Kaya'))
      await drives.append(object, drive)
      const range = { from: drive[100]!.timeDevice, to: drive[1_249]!.timeDevice }
      const before = rowsOf(await drives.history(object))
      const what = { ranges: [range], attribute: 'driver' }
      await store.positions.erase(organization, object, what, NOW)
      const counts: unknown[] = []
      for (;;) {
        const erased = await store.positions.eraseSlice(rules, NOW)
        if (erased === null) break
        const [erasure] = await store.positions.erasures(organization, object)
        const states = await store.positions.states(organization, [object])
        const { at, count } = states.get(object)!.attributes[0]!
        counts.push([erased, count, at - drive[1_299]!.timeDevice, erasure!.state])
      }
      assert.deepEqual(counts, [
        [500, 800, 0, 'under_way'],
        [500, 300, 0, 'under_way'],
        [150, 150, 0, 'done'],
      ])
      assert.deepEqual(rowsOf(await drives.history(object)), before)
    })

    it('do not follow a tracker into another object', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const [before, after] = [await drives.add(), await drives.add()]
      const drive = driveOf(10, 60).map((fix) => valued(fix, 'A. Kaya'))
      const times = drive.map(({ timeDevice }) => timeDevice)
      await drives.append(before, drive)
      const { ident } = (await store.objects.find(organization, before))!
      const tracker = { ident, since: times[2]!, formerIdent: 'former' }
      await store.objects.moveTracker(organization, after, tracker, NOW)
      const ranges = [{ from: times[1]!, to: times[5]! }]
      await store.positions.erase(organization, before, { ranges, attribute: 'driver' }, NOW)
      while ((await store.positions.moveSlice(rules)) !== null);
      await eraseAll(store, rules)
      const states = await store.positions.states(organization, [before, after])
      const countOf = (object: number) => states.get(object)!.attributes[0]!.count
      assert.deepEqual([countOf(before), countOf(after)], [1, 4])
    })

    it('are noted in the change log with their positions and the state', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const object = await drives.add()
      const drive = driveOf(5, 60).map((fix) => valued(fix, 'A. Kaya'))
      await drives.append(object, drive)
      const range = { from: drive[1]!.timeDevice, to: drive[2]!.timeDevice }
      await store.positions.erase(
        ...([organization, object, { ranges: [range], attribute: 'driver' }, NOW] as const),
      )
      await eraseAll(store, rules)
      const [erasure] = await store.positions.erasures(organization, object)
      const noted = await store.changeLog.view(organization, async (view) => {
        const [change] = await view.changes(erasure!.seq - 1, 1)
        return change!.entries.objects[0]!
      })
      assert.deepEqual(
        noted!.positions.map(({ time }) => time),
        [range.from, range.to],
      )
      assert.deepEqual([noted!.shifts, noted!.rewritten], [[], null])
    })
  })
}
