import fc from 'fast-check'
import type { Page } from '../src/changes/page.ts'
import { ORGANIZATION_DEFAULTS } from '../src/domain/organization.ts'
import type { FoldRules } from '../src/domain/position/fold-state.ts'
import { DAY_MS } from '../src/domain/time/time.ts'
import type { Store } from '../src/store/store.ts'
import { changesReplica } from './changes-replica.ts'
import { deriverOn } from './records/handed-deriver.ts'
import { type Arrival, anyArrival, anyLongArrival, anySettings } from './store-contract/arrivals.ts'
import { idOf, NOW, objectSettings } from './store-contract/fixture.ts'

/** One thing that happens to a fleet, or to its replica. `which`: an object, by its place among all. */
const anyStep = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant('drive' as const),
      which: fc.nat(3),
      // Only late positions of long drives move counters by shifts.
      arrival: fc.oneof(
        { weight: 9, arbitrary: anyArrival },
        { weight: 1, arbitrary: anyLongArrival },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('settings' as const),
      which: fc.nat(3),
      settings: anySettings,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('recompute' as const),
      which: fc.nat(3),
      slices: fc.nat(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('add' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant('delete' as const),
      which: fc.nat(3),
      // An import gives an object the id of the file, and then its positions.
      back: fc.option(anyArrival),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant('place' as const),
      name: fc.constantFrom('A', 'B'),
      radius: fc.nat(3),
      isDeleted: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant('retention' as const),
      days: fc.constantFrom(null, 1, 6, 7, 8, 30),
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('purge' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('derive' as const),
      slices: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant('later' as const),
      minutes: fc.constantFrom(10, 60, 24 * 60),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      is: fc.constant('read' as const),
      limit: fc.constantFrom(1, 2, 7, 50, 1_000),
      pages: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant('again' as const),
      from: fc.constantFrom('snapshot' as const, 'history' as const),
    }),
  },
)
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never

export const anySteps = fc.array(anyStep, { minLength: 1, maxLength: 25 })

/** Late positions of long drives, between which the replica reads: they move counters by shifts. */
export const anyLongDrives: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      is: fc.constant('drive' as const),
      which: fc.constant(0),
      arrival: anyLongArrival,
    }),
    fc.constant({ is: 'read' as const, limit: 1_000, pages: 4 }),
  ),
  { minLength: 4, maxLength: 10 },
)

/** Lets the steps happen to a new organization. Its replica must then be equal to it. `alter`: see the replica. */
export async function runTrial(
  store: Store,
  rules: FoldRules,
  steps: readonly Step[],
  alter?: (page: Page) => Page,
): Promise<void> {
  let now = NOW
  const settings = { ...ORGANIZATION_DEFAULTS, name: 'Acme', maxObjects: 100 }
  const { id: organization } = await store.organizations.create(settings, now)
  const objects: number[] = []
  let added = 0
  const add = async (id?: number) => {
    added += 1
    const settings = { ...objectSettings(`${added}`), id }
    objects.push(idOf((await store.objects.put(organization, [settings], now))[0]))
  }
  const scopeOf = (which: number) => ({ organization, object: objects[which % objects.length]! })
  await add()
  await add()
  const replica = changesReplica(store, organization, () => now, null, alter)
  await replica.begin('history')
  const deriver = deriverOn(store, organization)

  async function drive(object: number, { batches }: Arrival): Promise<void> {
    for (const batch of batches) {
      const fixes = batch.map((fix) => ({ object, fix }))
      await store.positions.append(organization, fixes, rules)
    }
  }

  async function happen(step: Step): Promise<void> {
    if (objects.length === 0) await add()
    switch (step.is) {
      case 'drive':
        return drive(scopeOf(step.which).object, step.arrival)
      case 'settings':
        await store.objects.update(organization, scopeOf(step.which).object, step.settings, now)
        return
      case 'recompute':
        await store.positions.requestRefold(scopeOf(step.which))
        for (let left = step.slices; left > 0; left -= 1) {
          await store.positions.refold(scopeOf(step.which), rules)
        }
        return
      case 'add':
        return add()
      case 'delete': {
        const { object } = scopeOf(step.which)
        objects.splice(objects.indexOf(object), 1)
        await store.objects.delete(organization, object)
        if (step.back === null) return
        await add(object)
        return drive(object, step.back)
      }
      case 'place': {
        const site = { name: step.name, description: null, icon: null, latitude: 1, longitude: 2 }
        const [put] = await store.sites.put(organization, [{ ...site, radius: step.radius }], now)
        if (step.isDeleted) await store.sites.delete(organization, idOf(put))
        return
      }
      case 'retention':
        await store.organizations.update(organization, { retentionDays: step.days }, now)
        return
      case 'purge': {
        const { retentionDays } = (await store.organizations.find(organization))!
        if (retentionDays === null) return
        const before = now - (retentionDays + 1) * DAY_MS
        for (let after: number | null = 0; after !== null; ) {
          after = await store.positions.purgeExpired(organization, before, after)
        }
        for (let after: number | null = 0; after !== null; ) {
          after = await store.records.purgeExpired(organization, before, after)
        }
        return
      }
      case 'derive':
        for (let left = step.slices; left > 0; left -= 1) await deriver.slice()
        return
      case 'later':
        now += step.minutes * 60_000
        return
      case 'read':
        for (let left = step.pages; left > 0; left -= 1) await replica.read(step.limit)
        return
      case 'again':
        return replica.begin(step.from)
    }
  }

  for (const step of steps) await happen(step)
  await deriver.all()
  while (await replica.read(500)) {}
  await replica.assertEqual()
}
