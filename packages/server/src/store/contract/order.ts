import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Fix } from '../../domain/fix.ts'
import type { Tracking } from '../../domain/track.ts'
import type { ObjectSettings } from '../../domain/tracked-object.ts'
import type { Store } from '../store.ts'
import { type Arrival, anyArrival, anyLongArrival, anySettings, BRIDGED_TRIPS } from './arrivals.ts'
import {
  ALL_TIME,
  idOf,
  NOW,
  newOrganization,
  type OpenStore,
  objectSettings,
  onStore,
  recordsOf,
} from './fixture.ts'

/** Of short drives; of long ones a tenth. */
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
          { numRuns: RUNS },
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
  const organization = await newOrganization(store)
  let objects = 0
  const add = async (settings: Partial<ObjectSettings>) => {
    objects += 1
    const entry = objectSettings(`${objects}`, settings)
    return idOf((await store.objects.put(organization, [entry], NOW))[0])
  }
  const append = (object: number, some: Fix[]) =>
    store.positions.append(
      organization,
      some.map((fix) => ({ object, fix })),
      tracking,
    )
  return async ({ fixes, batches }: Arrival, settings: Partial<ObjectSettings>) => {
    const [sorted, mixed] = [await add(settings), await add(settings)]
    await append(sorted, fixes)
    await foldOn(store, tracking)
    for (const batch of batches) await append(mixed, batch)
    const left = await foldOn(store, tracking)
    await assertAlike(store, organization, mixed, sorted)
    // And so does a fold of what is stored, from the first position on.
    await store.positions.requestRefold({ organization, object: mixed })
    await foldOn(store, tracking)
    await assertAlike(store, organization, mixed, sorted)
    return left
  }
}

async function foldOn(store: Store, tracking: Tracking): Promise<number> {
  let slices = 0
  while ((await store.positions.refold(null, tracking)) !== null) slices += 1
  return slices
}

async function assertAlike(store: Store, organization: number, a: number, b: number) {
  const [historyA, historyB] = [
    await recordsOf(await store.positions.history(organization, a, ALL_TIME, null)),
    await recordsOf(await store.positions.history(organization, b, ALL_TIME, null)),
  ]
  assert.ok(historyB.length > 0)
  assert.deepEqual(historyA, historyB)
  const states = await store.positions.states(organization, [a, b])
  assert.deepEqual(states.get(a), states.get(b))
}
