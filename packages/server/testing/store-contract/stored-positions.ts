import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import { DAY_MS } from '../../src/base/domain/time/time.ts'
import { KeptViews } from '../../src/engine/changes/kept-views.ts'
import type { PositionName, ReaderView } from '../../src/engine/store/change-log.ts'
import type { Change } from '../../src/engine/store/store.ts'
import { anyArrival, anySettings } from './arrivals.ts'
import { driveOf, drivesOn, moving } from './drives.ts'
import { eraseAll } from './erasures.ts'
import { fixAt, NOW, type StoreTest } from './fixture.ts'
import { runsOr } from './runs.ts'

/** The acts between batches. `another process` appends the next batch. */
const anyAct = fc.constantFrom(
  ...([
    'look',
    'look',
    'nothing',
    'another process',
    'settings',
    'fold',
    'erase',
    'delete',
  ] as const),
)

export function storedPositionContract(it: StoreTest, rules: FoldRules): void {
  describe('Positions that a change brings to watchers', () => {
    it('are those that views show, whatever else changes', async (store, reopen) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const elsewhere = await reopen()
      const { views } = comparedViews(store.changeLog.view)
      const watch = store.watch(views.changed)
      await fc.assert(
        fc.asyncProperty(
          anyArrival,
          anySettings,
          anySettings,
          fc.array(anyAct, { minLength: 12, maxLength: 12 }),
          async ({ fixes, batches }, settings, later, acts) => {
            const object = await drives.add(settings)
            const names = [...new Set(fixes.map(({ timeDevice }) => timeDevice))].map((time) => {
              return { object, time }
            })
            const look = () => views.view(organization, (view) => view.positions(names))
            await look()
            for (const [index, batch] of batches.entries()) {
              const act = acts[index % acts.length]!
              const by = act === 'another process' ? elsewhere : store
              await by.positions.append(
                organization,
                batch.map((fix) => ({ object, fix })),
                rules,
              )
              if (act === 'settings') await store.objects.update(organization, object, later, NOW)
              if (act === 'fold') await drives.foldOn()
              if (act === 'erase') await eraseFirst(object, batch[0]!.timeDevice)
              if (act === 'delete') await store.objects.delete(organization, object)
              if (act !== 'nothing') await look()
            }
            await look()
          },
        ),
        { numRuns: runsOr(15) },
      )
      watch.close()

      async function eraseFirst(object: number, time: number): Promise<void> {
        const what = { ranges: [{ from: time, to: time }], attribute: null }
        await store.positions.erase(organization, object, what, NOW)
        await eraseAll(store, rules)
      }
    })

    it('have the counters that a late fix shifts, before and after it', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const object = await drives.add()
      const drive = driveOf(2_000, 100)
      await drives.append(object, drive.slice(0, 1_900))
      const { views, counts } = comparedViews(store.changeLog.view)
      const watch = store.watch(views.changed)
      const names = drive.slice(1_900).map(({ timeDevice: time }) => ({ object, time }))
      const look = () => views.view(organization, (view) => view.positions(names))
      await look()
      await drives.append(object, drive.slice(1_900, 1_950))
      await look()
      const beside = { ...moving(drive[10]!.timeDevice + 1_000, 1_000), latitude: 30.2513 }
      await drives.append(object, [beside])
      await look()
      const before = counts.read
      await drives.append(object, drive.slice(1_950))
      await look()
      assert.equal(counts.read - before, 50, 'those after the shift are kept')
      watch.close()
    })

    it('are forgotten when the retention changes, because some may have been deleted', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const object = await drives.add()
      const { views } = comparedViews(store.changeLog.view)
      const watch = store.watch(views.changed)
      const times = [NOW - 3 * DAY_MS, NOW - 2 * DAY_MS, NOW]
      const names = times.map((time) => ({ object, time }))
      const look = () => views.view(organization, (view) => view.positions(names))
      await look()
      await drives.append(
        object,
        times.map((time) => fixAt(time)),
      )
      await look()
      await store.organizations.update(organization, { retentionDays: 1 }, NOW)
      for (let after: number | null = 0; after !== null; ) {
        after = await store.positions.purgeExpired(
          organization,
          () => NOW - DAY_MS,
          after,
          (error) => assert.fail(String(error)),
        )
      }
      await store.organizations.update(organization, { retentionDays: 30 }, NOW)
      await look()
      watch.close()
    })

    it('are not kept if a view was ahead of the change', async (store, reopen) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const object = await drives.add()
      const { views } = comparedViews(store.changeLog.view)
      const held: Change[] = []
      const watch = store.watch((change) => void held.push(change))
      const fix = fixAt(NOW)
      const names = [{ object, time: NOW }]
      const look = () => views.view(organization, (view) => view.positions(names))
      await look()
      await drives.append(object, [fix])
      const elsewhere = await reopen()
      const corrected = { ...fix, corrected: true, speed: 50 }
      await elsewhere.positions.append(organization, [{ object, fix: corrected }], rules)
      await look()
      for (const change of held) views.changed(change)
      await look()
      watch.close()
    })

    it('are not read again by pages', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const object = await drives.add()
      const { views, counts } = comparedViews(store.changeLog.view)
      const watch = store.watch(views.changed)
      const [first, ...drive] = driveOf(30, 100)
      await drives.append(object, [first!])
      await views.view(organization, (view) => view.states([object]))
      for (const fix of drive) {
        await drives.append(object, [fix])
        const name = { object, time: fix.timeDevice }
        const [record] = (await views.view(organization, (view) => view.positions([name])))!
        assert.ok(record)
      }
      watch.close()
      assert.deepEqual(counts, { wanted: drive.length, read: 0 })
    })
  })
}

/** Kept views that compare each position with the one that the store reads in the same view. */
function comparedViews(viewOf: KeptViews['view']) {
  const counts = { wanted: 0, read: 0 }
  let plain: ReaderView
  const kept = new KeptViews({
    view: (organization, work, signal) =>
      viewOf(
        organization,
        (view) => {
          plain = view
          const positions = (wanted: readonly PositionName[]) => {
            counts.read += wanted.length
            return view.positions(wanted)
          }
          return work({ ...view, positions })
        },
        signal,
      ),
  })
  const view: KeptViews['view'] = (organization, work, signal) =>
    kept.view(
      organization,
      (own) =>
        work({
          ...own,
          async positions(wanted) {
            counts.wanted += wanted.length
            const found = await own.positions(wanted)
            const expected = await plain.positions(wanted)
            assert.deepEqual(found.map(textOf), expected.map(textOf))
            return found
          },
        }),
      signal,
    )
  return { views: { view, changed: kept.changed }, counts }
}

function textOf(record: Uint8Array | null): string | null {
  return record && Buffer.from(record).toString('hex')
}
