import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Fix } from '../../src/base/domain/position/fix.ts'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import type { Store } from '../../src/engine/store/store.ts'
import { drivesOn } from '../store-contract/drives.ts'
import { idOf, NOW } from '../store-contract/fixture.ts'
import { anyTrial, type Trial, type TrialStep } from './derivation-trial.ts'
import { deriverOn } from './handed-deriver.ts'
import { plainRecords, sorted } from './plain-records.ts'
import { type AnyPlace, circleOf, OTHERS, plainPlaceOf, ringOf } from './trial-places.ts'

const ALWAYS = { from: 0, to: 2 ** 48 }

/** The drives of some objects, and the end of a deriver in the midst of some slices. */
export type StoredTrial = { objects: Trial[]; kills: (number | null)[] }

export const anyStoredTrial: fc.Arbitrary<StoredTrial> = fc.record({
  objects: fc.array(anyTrial, { minLength: 1, maxLength: 3 }),
  kills: fc.array(fc.constantFrom(null, null, 0, 1), { minLength: 1, maxLength: 9 }),
})

/** Feeds the objects in turns, derives between, and compares the records with the plain ones. */
export async function runStoredTrial(
  store: Store,
  rules: FoldRules,
  { objects, kills }: StoredTrial,
): Promise<{ comparisons: number }> {
  const drives = await drivesOn(store, rules)
  const deriver = deriverOn(store, drives.organization, kills)
  const places = placesOn(store, drives.organization)
  const ids: number[] = []
  let comparisons = 0

  async function take({ settings, steps }: Trial, object: number, batch: Fix[], index: number) {
    await drives.append(object, batch)
    const step: TrialStep = steps[index % steps.length]!
    if (step.is === 'derive' || step.is === 'derive twice') {
      if (await deriver.slice()) comparisons += await compare()
    } else if (step.is === 'fold') await store.positions.refold(null, rules)
    else if (step.is === 'place') await places.edit(step.place)
    else if (step.is === 'recompute') {
      await store.objects.update(drives.organization, object, step.settings, NOW)
      await store.positions.requestRefold({ organization: drives.organization, object })
    } else if (index === 5) await store.objects.update(drives.organization, object, settings, NOW)
  }

  async function compare(): Promise<number> {
    const compared = await store.changeLog.view(drives.organization, async (view) => {
      for (const id of ids) {
        const plain = plainRecords(await view.rows(id, -1, 1_000_000), places.plain())
        const derived = (await view.recordsIn(id, ALWAYS)).map(({ record }) => record)
        assert.deepEqual(sorted(derived), sorted(plain))
      }
      return 1
    })
    return compared!
  }

  for (const { settings } of objects) ids.push(await drives.add(settings))
  for (const { places: some } of objects) for (const place of some) await places.edit(place)
  const longest = Math.max(...objects.map(({ batches }) => batches.length))
  for (let index = 0; index < longest; index += 1) {
    for (const [at, trial] of objects.entries()) {
      const batch = trial.batches[index]
      if (batch !== undefined) await take(trial, ids[at]!, batch, index)
    }
  }
  await drives.foldOn()
  await deriver.all()
  comparisons += await compare()
  await store.organizations.delete(drives.organization)
  return { comparisons }
}

function placesOn(store: Store, organization: number) {
  const existing = new Map<string, { place: AnyPlace; id: number }>()

  return {
    async edit(place: AnyPlace): Promise<void> {
      const { placeType, isDeleted } = place
      const name = `${placeType} ${place.place}`
      const id = existing.get(name)?.id
      const items = placeType === 'geofence' ? store.geofences : store.sites
      if (isDeleted) {
        if (id !== undefined) await items.delete(organization, id)
        existing.delete(name)
        return
      }
      const about = { name, description: null, color: null, icon: null, ...(id && { id }) }
      const { latitude, longitude, radius } = circleOf(place)
      const entry = {
        ...about,
        coordinates: ringOf(place).coordinates,
        latitude,
        longitude,
        radius,
      }
      const [put] = await items.put(organization, [entry], NOW)
      if (place.hasOthers) await store.sites.put(organization, OTHERS, NOW)
      existing.set(name, { place, id: idOf(put) })
    },
    plain: () => Array.from(existing.values(), ({ place, id }) => plainPlaceOf(place, id)),
  }
}
