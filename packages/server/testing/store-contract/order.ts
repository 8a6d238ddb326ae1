import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import type { MonitoredObject, ObjectSettings } from '../../src/base/domain/monitored-object.ts'
import type { Fix } from '../../src/base/domain/position/fix.ts'
import { asStored } from '../../src/base/domain/position/fix-record.ts'
import type { FoldRules, FoldState } from '../../src/base/domain/position/fold-state.ts'
import type { Store } from '../../src/engine/store/store.ts'
import { shownFix } from '../../src/engine/tracking/derive-object-state.ts'
import {
  type Arrival,
  anyArrival,
  anyLongArrival,
  anySettings,
  BRIDGED_TRIPS,
  REPLACED_ANCHOR,
} from './arrivals.ts'
import { drivesOn } from './drives.ts'
import type { StoreTest } from './fixture.ts'
import { runsOr } from './runs.ts'

/** The number of short drives. Long ones are a tenth as many. `npm run acceptance:stores` has more. */
const RUNS = runsOr(12)

export function orderContract(it: StoreTest, rules: FoldRules): void {
  describe('The order of arrival', () => {
    it('affects neither the history, nor its counters, nor the state', async (store) => {
      const compare = await comparison(store, rules)
      await fc.assert(
        fc.asyncProperty(anyArrival, anySettings, async (arrival, settings) => {
          await compare(arrival, settings)
        }),
        { numRuns: RUNS, examples: [[REPLACED_ANCHOR, {}]] },
      )
    })

    it('does not affect a long drive with a few late fixes', async (store) => {
      const compare = await comparison(store, rules)
      let leftForLater = 0
      await fc.assert(
        fc.asyncProperty(anyLongArrival, anySettings, async (arrival, settings) => {
          leftForLater += await compare(arrival, settings)
        }),
        { numRuns: Math.ceil(RUNS / 10), examples: [[BRIDGED_TRIPS, {}]] },
      )
      assert.ok(leftForLater > 0, 'some changed more than is written at once')
    })
  })
}

/** Compares the results of two objects; returns the number of slices that remained after an arrival. */
async function comparison(store: Store, rules: FoldRules) {
  const { organization, add, append, foldOn, assertAlike } = await drivesOn(store, rules)
  return async ({ fixes, batches }: Arrival, settings: Partial<ObjectSettings>) => {
    const [sorted, mixed] = [await add(settings), await add(settings)]
    await append(sorted, fixes)
    await foldOn()
    const object = (await store.objects.find(organization, sorted))!
    const state = (await store.positions.states(organization, [sorted])).get(sorted)
    assert.deepEqual(state?.lastFix, newestBelieved(fixes, object, rules))
    for (const batch of batches) await append(mixed, batch)
    const left = await foldOn()
    await assertAlike(mixed, sorted)
    // A fold of the stored rows from the first position on gives the same.
    await store.positions.requestRefold({ organization, object: mixed })
    await foldOn()
    await assertAlike(mixed, sorted)
    return left
  }
}

/** The newest accepted fix, shown in the history or not. */
function newestBelieved(fixes: readonly Fix[], object: MonitoredObject, rules: FoldRules): Fix {
  const kept = new Map<number, Fix>()
  for (const fix of fixes) {
    const other = kept.get(fix.timeDevice)
    if (other === undefined || rules.prefer(fix, other) > 0) kept.set(fix.timeDevice, fix)
  }
  let fold: FoldState | null = null
  for (const fix of [...kept.values()].sort((a, b) => a.timeDevice - b.timeDevice)) {
    ;({ fold } = rules.advance(fold, object, asStored(fix)))
  }
  return shownFix(asStored(kept.get(fold!.last.time)!))
}
