import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import { timeIn } from '../../src/base/domain/position/position-columns.ts'
import type { ChangeEntries } from '../../src/engine/store/change-entries.ts'
import { type LoggedChange, RECENT_CHANGES } from '../../src/engine/store/change-log.ts'
import type { Store } from '../../src/engine/store/store.ts'
import {
  anyArrival,
  anyLongArrival,
  anySettings,
  BRIDGED_TRIPS,
  REPLACED_ANCHOR,
} from './arrivals.ts'
import { derived, derivedOn, newPut, stop } from './derived.ts'
import { driveOf, drivesOn, moving, rowsOf } from './drives.ts'
import {
  append,
  fixAt,
  idOf,
  MISSING,
  NOW,
  newFleet,
  newKey,
  newObject,
  newOrganization,
  objectSettings,
  PLAIN,
  type StoreTest,
} from './fixture.ts'
import { followedLog } from './followed-log.ts'
import { runsOr } from './runs.ts'

/** The number of short drives. Long ones are a tenth as many. `npm run acceptance:stores` has more. */
const RUNS = runsOr(10)

export function changeLogContract(it: StoreTest, rules: FoldRules): void {
  describe('The change log', () => {
    it('numbers the changes of each organization from 1, without a gap', async (store, reopen) => {
      const [one, other] = [await newOrganization(store), await newOrganization(store)]
      assert.deepEqual(await newest(store, [one, other, MISSING]), [0, 0, 0])
      const object = await newObject(store, one)
      await append(store, one, object, [fixAt(1)])
      await newObject(await reopen(), other)
      await append(await reopen(), one, object, [fixAt(2)])
      assert.deepEqual(await newest(await reopen(), [one, other]), [3, 1])
      assert.deepEqual(await numbers(store, one), [1, 2, 3])
    })

    it('tells the newest change besides those of derived records alone, as far as it looks back', async (store) => {
      const { organization, object, apply } = await derivedOn(store)
      const newestOf = async () => (await store.changeLog.newest([organization])).get(organization)
      const derive = (id: number) =>
        apply({ objects: [derived(object, [newPut(id, stop(id, id))])] })
      assert.deepEqual(await newestOf(), { seq: 1, besidesRecords: 1 })
      await derive(1)
      await derive(2)
      assert.deepEqual(await newestOf(), { seq: 3, besidesRecords: 1 })
      // No entry names the unit.
      await store.organizations.update(organization, { distanceUnit: 'mi' }, NOW)
      await derive(3)
      assert.deepEqual(await newestOf(), { seq: 5, besidesRecords: 4 })
      for (let id = 4; id <= RECENT_CHANGES + 4; id += 1) await derive(id)
      assert.deepEqual(await newestOf(), { seq: RECENT_CHANGES + 6, besidesRecords: 6 })
    })

    it('names items that were created, changed and deleted, and nothing that stayed', async (store) => {
      const organization = await newOrganization(store)
      const put = [objectSettings('1'), objectSettings('2')]
      const [first, second] = (await store.objects.put(organization, put, NOW)).map(idOf)
      await store.objects.put(organization, put, NOW)
      await store.objects.update(organization, first!, { name: 'Tram' }, NOW)
      await store.objects.update(organization, first!, { name: 'Tram' }, NOW)
      const { ids } = await store.objects.ensure(organization, ['2', '3'], NOW)
      await store.objects.delete(organization, second!)
      await store.objects.delete(organization, MISSING)
      const site = { name: 'Depot', description: null, icon: null, latitude: 1, longitude: 2 }
      const [depot] = await store.sites.put(organization, [{ ...site, radius: 10 }], NOW)
      await store.keys.issue(organization, newKey('A'), NOW)
      assert.deepEqual(await entries(store, organization), [
        itemsOf(['objects', first!], ['objects', second!]),
        itemsOf(['objects', first!]),
        itemsOf(['objects', ids.get('3')!]),
        { ...itemsOf(), items: [{ topic: 'objects', id: second!, isDeleted: true }] },
        itemsOf(['sites', idOf(depot)]),
      ])
    })

    it('names positions as late if their object had a newer one', async (store) => {
      const { organization, append } = await newFleet(store)
      await append([fixAt(20), fixAt(10), fixAt(30)])
      await append([fixAt(5), fixAt(40)])
      await append([fixAt(40)])
      const [, inOrder, mixed] = await entries(store, organization)
      assert.deepEqual(positionsOf(inOrder!), [
        [10, false],
        [20, false],
        [30, false],
      ])
      assert.deepEqual(positionsOf(mixed!), [
        [5, true],
        [40, false],
      ])
    })

    it('names the rows that were stored or rewritten and that answers show as before', async (store) => {
      const { organization, object } = await newFleet(store)
      const hiding: FoldRules = {
        ...PLAIN,
        advance(fold, owner, fix) {
          return { ...PLAIN.advance(fold, owner, fix), hidden: fix.timeDevice % 20 === 0 }
        },
      }
      for (const times of [[10, 20, 30, 40], [50], [60], [40], [15, 5, 45]]) {
        const batch = times.map((time) => ({ object, fix: fixAt(time) }))
        await store.positions.append(organization, batch, hiding)
      }
      const [, ...changes] = await entries(store, organization)
      assert.deepEqual(
        changes.map((change) => [
          positionsOf(change).map(([time]) => time),
          change.objects[0]!.rewritten,
        ]),
        [
          [[10, 30], { from: 20, to: 40 }],
          [[50], null],
          [[], { from: 60, to: 60 }],
          // The next row knows the believed position before it.
          [[5, 15, 45], { from: 10, to: 50 }],
        ],
      )
    })

    it('names an object whose packet was refused, and the last days of a retention', async (store) => {
      const organization = await newOrganization(store, 'Acme', { retentionDays: 30 })
      const object = await newObject(store, organization)
      const judge = () => 'too_inaccurate'
      const batch = [{ object, fix: fixAt(10) }]
      await store.positions.append(organization, batch, { ...PLAIN, judge })
      await store.organizations.update(organization, { retentionDays: null }, NOW)
      await store.organizations.update(organization, { retentionDays: 5, name: 'B' }, NOW)
      await store.organizations.update(organization, { name: 'C' }, NOW)
      const [, refused, unlimited, limited, ...more] = await entries(store, organization)
      assert.deepEqual(refused, {
        ...itemsOf(),
        objects: [{ object, positions: [], shifts: [], rewritten: null }],
      })
      assert.deepEqual(unlimited, { ...itemsOf(), retainedBefore: 30 })
      assert.deepEqual(limited, { ...itemsOf(), retainedBefore: null })
      assert.deepEqual(more, [])
    })

    it('has a change for another distance unit and signal timeout, so that readers notice it', async (store) => {
      const organization = await newOrganization(store)
      await store.organizations.update(organization, { distanceUnit: 'mi' }, NOW)
      await store.organizations.update(organization, { signalTimeoutHours: 2 }, NOW)
      assert.deepEqual(await entries(store, organization), [itemsOf(), itemsOf()])
    })

    it('shifts what a late fix moves in place of naming a month of positions', async (store) => {
      const drives = await drivesOn(store, rules)
      const object = await drives.add()
      const drive = driveOf(2_000, 100)
      await drives.append(object, drive)
      const replica = followedLog(store, drives.organization)
      await replica.assertEqual(object, 100)
      const beside = { ...moving(drive[10]!.timeDevice + 1_000, 1_000), latitude: 30.2513 }
      await drives.append(object, [beside])
      const late = (await entries(store, drives.organization)).at(-1)!
      assert.equal(late.objects[0]!.shifts.length, 1)
      assert.ok(late.objects[0]!.positions.length < 60)
      await replica.assertEqual(object, 100)
    })

    it('makes a replica that equals the store, in any order of arrival, before and after each fold', async (store) => {
      const drives = await drivesOn(store, rules)
      const replica = followedLog(store, drives.organization)
      await fc.assert(
        fc.asyncProperty(
          anyArrival,
          anySettings,
          anySettings,
          fc.integer({ min: 1, max: 9 }),
          async ({ batches }, settings, later, limit) => {
            const object = await drives.add(settings)
            for (const batch of batches) {
              await drives.append(object, batch)
              await replica.assertEqual(object, limit)
            }
            await store.objects.update(drives.organization, object, later, NOW)
            await recompute(store, rules, drives.organization, object, async () => {
              await replica.assertEqual(object, limit)
            })
          },
        ),
        { numRuns: RUNS, examples: [[REPLACED_ANCHOR, {}, {}, 1]] },
      )
    })

    it('makes a replica of long drives that equals the store', async (store) => {
      const drives = await drivesOn(store, rules)
      const replica = followedLog(store, drives.organization)
      await fc.assert(
        fc.asyncProperty(
          anyLongArrival,
          anySettings,
          anySettings,
          async ({ batches }, settings, later) => {
            const object = await drives.add(settings)
            const followed = () => replica.assertEqual(object, 1_000)
            for (const batch of batches) {
              await drives.append(object, batch)
              if (batch.length === 1) await followed()
            }
            await store.objects.update(drives.organization, object, later, NOW)
            await recompute(store, rules, drives.organization, object, followed)
          },
        ),
        { numRuns: Math.ceil(RUNS / 10), examples: [[BRIDGED_TRIPS, {}, {}]] },
      )
    })

    it('makes a replica that equals the store, whatever was changed while folds were unfinished', async (store) => {
      const drives = await drivesOn(store, rules)
      const replica = followedLog(store, drives.organization)
      const anyChange = fc.record({ settings: anySettings, slices: fc.nat(3), late: fc.nat(3) })
      await fc.assert(
        fc.asyncProperty(
          anyLongArrival,
          fc.array(anyChange, { minLength: 2, maxLength: 5 }),
          async ({ batches }, changes) => {
            const object = await drives.add()
            const whole = batches.filter((batch) => batch.length > 1)
            const late = batches.filter((batch) => batch.length === 1)
            for (const batch of whole) await drives.append(object, batch)
            for (const { settings, slices, late: count } of changes) {
              await store.objects.update(drives.organization, object, settings, NOW)
              const scope = { organization: drives.organization, object }
              await store.positions.requestRefold(scope)
              for (let left = slices; left > 0; left -= 1)
                await store.positions.refold(scope, rules)
              for (const batch of late.splice(0, count)) await drives.append(object, batch)
              await replica.follow(1_000)
            }
            await drives.foldOn()
            await replica.assertEqual(object, 1_000)
          },
        ),
        { numRuns: Math.ceil(RUNS / 10) },
      )
    })

    it('shows one moment to a reader while others write', async (store) => {
      const { organization, object, append } = await newFleet(store)
      await append([fixAt(10)])
      await store.changeLog.view(organization, async (view) => {
        assert.equal(view.asOf, 2)
        await append([fixAt(20)])
        await store.objects.update(organization, object, { name: 'Tram' }, NOW)
        assert.equal((await view.changes(0, 10)).length, 2)
        assert.equal((await view.items('objects', [object]))[0]!.name, 'Bus 1')
        assert.equal((await view.states([object])).get(object)!.lastFix!.timeDevice, 10)
        const named = [10, 20, 10].map((time) => ({ object, time }))
        const [first, second, third] = await view.positions(named)
        assert.equal(second, null)
        assert.deepEqual(first, third)
        assert.equal(rowsOf(Buffer.from(first!))[0]!.time, 10)
      })
      const newestChange = await store.changeLog.view(organization, async ({ asOf }) => asOf)
      assert.equal(newestChange, 4)
    })

    it('shows nothing of other organizations', async (store) => {
      const [mine, other] = [await newOrganization(store), await newOrganization(store)]
      const object = await newObject(store, other)
      await append(store, other, object, [fixAt(10)])
      await store.changeLog.view(mine, async (view) => {
        assert.deepEqual(await view.changes(0, 10), [])
        assert.deepEqual(await view.items('objects', [object]), [])
        assert.deepEqual(await view.itemsAfter('objects', 0, 10), [])
        assert.equal((await view.states([object])).size, 0)
        assert.deepEqual(await view.positions([{ object, time: 10 }]), [null])
        assert.equal((await view.range(object, -1, 100, 10)).length, 0)
        assert.deepEqual(await view.earlierTrips(object, 0, null), [])
      })
      assert.equal(await store.changeLog.view(MISSING, async () => 1), null)
    })

    it('reads a range of positions, the first ones of it, as a history shows them', async (store) => {
      const { organization, object, append } = await newFleet(store)
      const fixes = Array.from({ length: 700 }, (_, index) => fixAt(1_000 + index))
      await append(fixes)
      await store.changeLog.view(organization, async (view) => {
        const times = async (after: number, to: number, limit: number) => {
          const parts = await view.range(object, after, to, limit)
          return parts.flatMap((columns) =>
            Array.from({ length: columns.rows }, (_, row) => timeIn(columns, row)),
          )
        }
        const all = fixes.map(({ timeDevice }) => timeDevice)
        assert.deepEqual(await times(-1, 10_000, 1_000), all)
        assert.deepEqual(await times(1_299, 1_650, 300), all.slice(300, 600))
        assert.deepEqual(await times(1_299, 1_302, 300), all.slice(300, 303))
      })
    })

    it('is purged in slices up to a moment, but for its newest change', async (store) => {
      const [one, other] = [await newOrganization(store), await newOrganization(store)]
      const object = await newObject(store, one)
      for (let time = 1; time <= 4; time += 1) await append(store, one, object, [fixAt(time)])
      await newObject(store, other)
      await purge(store, 0)
      assert.deepEqual(await numbers(store, one), [1, 2, 3, 4, 5])
      await purge(store, Number.MAX_SAFE_INTEGER)
      assert.deepEqual(await numbers(store, one), [5])
      assert.deepEqual(await numbers(store, other), [1])
      const oldest = await store.changeLog.view(one, async (view) => view.oldest)
      assert.equal(oldest, 5)
      await append(store, one, object, [fixAt(6)])
      assert.deepEqual(await numbers(store, one), [5, 6])
    })

    it('keeps its epoch when it is opened again', async (store, reopen) => {
      const organization = await newOrganization(store)
      const epochOf = (from: Store) => from.changeLog.view(organization, async ({ epoch }) => epoch)
      const epoch = await epochOf(store)
      assert.match(epoch!, /^[0-9a-f]{32}$/)
      assert.equal(await epochOf(await reopen()), epoch)
    })
  })
}

/** Folds all positions of an object again, and checks after each slice. */
async function recompute(
  store: Store,
  rules: FoldRules,
  organization: number,
  object: number,
  check: () => Promise<void>,
): Promise<void> {
  await store.positions.requestRefold({ organization, object })
  await check()
  while ((await store.positions.refold({ organization, object }, rules)) !== null) await check()
}

async function purge(store: Store, before: number): Promise<void> {
  while (await store.changeLog.purge(before)) {}
}

async function newest(store: Store, organizations: number[]): Promise<number[]> {
  const found = await store.changeLog.newest(organizations)
  return organizations.map((organization) => found.get(organization)!.seq)
}

async function logged(store: Store, organization: number): Promise<LoggedChange[]> {
  return (await store.changeLog.view(organization, (view) => view.changes(0, 1_000)))!
}

async function numbers(store: Store, organization: number): Promise<number[]> {
  return (await logged(store, organization)).map(({ seq }) => seq)
}

async function entries(store: Store, organization: number): Promise<ChangeEntries[]> {
  return (await logged(store, organization)).map((change) => change.entries)
}

function itemsOf(...items: ['objects' | 'sites', number][]): ChangeEntries {
  return {
    items: items.map(([topic, id]) => ({ topic, id, isDeleted: false })),
    attributes: [],
    retainedBefore: undefined,
    objects: [],
    records: [],
  }
}

function positionsOf({ objects }: ChangeEntries): [number, boolean][] {
  return objects.flatMap(({ positions }) =>
    positions.map(({ time, late }): [number, boolean] => [time, late]),
  )
}
