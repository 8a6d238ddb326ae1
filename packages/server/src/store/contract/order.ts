import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Fix } from '../../domain/fix.ts'
import { asStored } from '../../domain/fix-record.ts'
import type { Track, Tracking } from '../../domain/track.ts'
import type { ObjectSettings, TrackedObject } from '../../domain/tracked-object.ts'
import { shownFix } from '../folding/state-in-order.ts'
import type { Store } from '../store.ts'
import {
  type Arrival,
  anyArrival,
  anyLongArrival,
  anySettings,
  BRIDGED_TRIPS,
  REPLACED_ANCHOR,
} from './arrivals.ts'
import { drivesOn } from './drives.ts'
import { type OpenStore, onStore } from './fixture.ts'

/** The number of short drives. There are a tenth as many long ones. */
const RUNS = Number(process.env.FOLD_RUNS ?? 150)

export function orderContract(open: OpenStore, tracking: Tracking): void {
  describe('the order of arrival', () => {
    it(
      'changes nothing: not the history, not its counters, not the state',
      onStore(open, async (store) => {
        const compare = await comparison(store, tracking)
        await fc.assert(
          fc.asyncProperty(anyArrival, anySettings, async (arrival, settings) => {
            await compare(arrival, settings)
          }),
          { numRuns: RUNS, examples: [[REPLACED_ANCHOR, {}]] },
        )
      }),
    )

    it(
      'changes nothing in a long drive, of which a few fixes come late',
      onStore(open, async (store) => {
        const compare = await comparison(store, tracking)
        let leftForLater = 0
        await fc.assert(
          fc.asyncProperty(anyLongArrival, anySettings, async (arrival, settings) => {
            leftForLater += await compare(arrival, settings)
          }),
          { numRuns: Math.ceil(RUNS / 10), examples: [[BRIDGED_TRIPS, {}]] },
        )
        assert.ok(leftForLater > 0, 'some changed more than is written at once')
      }),
    )
  })
}

/** Compares what two objects come to; gives how many slices were left to be folded after an arrival. */
async function comparison(store: Store, tracking: Tracking) {
  const { organization, add, append, foldOn, assertAlike } = await drivesOn(store, tracking)
  return async ({ fixes, batches }: Arrival, settings: Partial<ObjectSettings>) => {
    const [sorted, mixed] = [await add(settings), await add(settings)]
    await append(sorted, fixes)
    await foldOn()
    const object = (await store.objects.find(organization, sorted))!
    const state = (await store.positions.states(organization, [sorted])).get(sorted)
    assert.deepEqual(state?.lastFix, newestBelieved(fixes, object, tracking))
    for (const batch of batches) await append(mixed, batch)
    const left = await foldOn()
    await assertAlike(mixed, sorted)
    // And so does a fold of what is stored, from the first position on.
    await store.positions.requestRefold({ organization, object: mixed })
    await foldOn()
    await assertAlike(mixed, sorted)
    return left
  }
}

/** The newest fix that is believed, whether or not history shows it. */
function newestBelieved(fixes: readonly Fix[], object: TrackedObject, tracking: Tracking): Fix {
  const standing = new Map<number, Fix>()
  for (const fix of fixes) {
    const other = standing.get(fix.timeDevice)
    if (other === undefined || tracking.prefer(fix, other) > 0) standing.set(fix.timeDevice, fix)
  }
  let track: Track | null = null
  for (const fix of [...standing.values()].sort((a, b) => a.timeDevice - b.timeDevice)) {
    ;({ track } = tracking.advance(track, object, asStored(fix)))
  }
  return shownFix(asStored(standing.get(track!.last.time)!))
}
