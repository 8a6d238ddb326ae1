import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { AttributeValue } from '../../src/base/domain/position/attribute.ts'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import type { ChangeView } from '../../src/engine/store/change-log.ts'
import type { Store } from '../../src/engine/store/store.ts'
import type { TrackRow } from '../../src/engine/tracking/track-row.ts'
import { anyArrival, anySettings } from './arrivals.ts'
import { driveOf, drivesOn, keptApart, moving, rowsOf } from './drives.ts'
import { fixAt, NOW, type StoreTest } from './fixture.ts'
import { runsOr } from './runs.ts'

const RUNS = runsOr(15)
const EVERY_ROW = 1_000_000

/** The rows that records are derived from. */
export function rowContract(it: StoreTest, rules: FoldRules): void {
  it('are derived from rows with all shifts, hidden ones too, slice by slice', async (store) => {
    const drives = await drivesOn(store, rules)
    const object = await drives.add(keptApart(50))
    const drive = driveOf(1_500, 100)
    const parked = Array.from({ length: 30 }, (_, index) =>
      fixAt(NOW + index * 60_000, { longitude: -97, speed: 0, ignition: false }),
    )
    await drives.append(object, [...drive, ...parked])
    const beside = { ...moving(drive[10]!.timeDevice + 1_000, 1_000), latitude: 30.2513 }
    await drives.append(object, [beside])
    await store.changeLog.view(drives.organization, async (view) => {
      const rows = await view.rows(object, -1, EVERY_ROW)
      assert.equal(rows.length, drive.length + parked.length + 1)
      const shown = rows.filter(({ isShown }) => isShown)
      assert.ok(shown.length < rows.length)
      assert.deepEqual(
        shown.map(({ time, odometer, engineHours }) => ({ time, odometer, engineHours })),
        rowsOf(await drives.history(object)).map(({ time, odometer, engineHours }) => ({
          time,
          odometer,
          engineHours,
        })),
      )
      assert.deepEqual(await view.rows(object, rows[9]!.time, 1_200), rows.slice(10, 1_210))
      assert.deepEqual(await view.rows(object, rows.at(-1)!.time, 9), [])
      for (const limit of [1, 5, 50]) {
        const before = await view.rowsBefore(object, rows[100]!.time, limit)
        assert.deepEqual(before, rows.slice(100 - limit, 100))
      }
      assert.deepEqual(await view.rowsBefore(object, rows[0]!.time, 9), [])
      const other = await drives.add()
      const found = await view.laterRows(
        new Map([
          [object, rows[9]!.time],
          [other, -1],
        ]),
      )
      assert.deepEqual(found, new Map([[object, rows.slice(10)]]))
      const last = (await store.positions.states(drives.organization)).get(object)!
      assert.equal(rows.at(-1)!.motion, last.fold!.motion)
    })
  })

  it('are derived from rows of which the change log names each that changed', async (store) => {
    const drives = await drivesOn(store, rules)
    const { organization } = drives
    const rows = followedRows(store, organization)
    await fc.assert(
      fc.asyncProperty(
        anyArrival,
        anySettings,
        anySettings,
        async ({ batches }, settings, later) => {
          const object = await drives.add(settings)
          for (const batch of batches) {
            await drives.append(object, batch)
            await rows.assertEqual(object)
          }
          await store.objects.update(organization, object, later, NOW)
          await store.positions.requestRefold({ organization, object })
          while ((await store.positions.refold({ organization, object }, rules)) !== null) {
            await rows.assertEqual(object)
          }
        },
      ),
      { numRuns: RUNS },
    )
  })
}

/** The rows of an organization, read again only where its change log says that they changed. */
function followedRows(store: Store, organization: number) {
  const objects = new Map<number, Map<number, TrackRow>>()
  let last = 0

  async function readAgain(view: ChangeView, object: number, from: number, to: number) {
    const rows = objects.get(object)!
    for (const time of rows.keys()) if (time >= from && time <= to) rows.delete(time)
    for (const row of await view.rows(object, from - 1, EVERY_ROW)) {
      if (row.time <= to) rows.set(row.time, row)
    }
  }

  function shift(object: number, from: number, by: { odometer: number; engineHours: number }) {
    for (const [time, row] of objects.get(object)!) {
      if (time < from) continue
      const { odometer, engineHours } = row
      objects.get(object)!.set(time, {
        ...row,
        odometer: odometer === null ? null : odometer + by.odometer,
        engineHours: engineHours === null ? null : engineHours + by.engineHours,
      })
    }
  }

  return {
    /** Follows each change, and compares with all rows. */
    async assertEqual(object: number): Promise<void> {
      await store.changeLog.view(organization, async (view) => {
        for (const { seq, entries } of await view.changes(last, 1_000)) {
          last = seq
          for (const each of entries.objects) {
            if (!objects.has(each.object)) objects.set(each.object, new Map())
            for (const by of each.shifts) shift(each.object, by.from, by)
            for (const { time } of each.positions) await readAgain(view, each.object, time, time)
            const { rewritten } = each
            if (rewritten) await readAgain(view, each.object, rewritten.from, rewritten.to)
          }
        }
        const followed = [...(objects.get(object)?.values() ?? [])].sort((a, b) => a.time - b.time)
        const stored = await view.rows(object, -1, EVERY_ROW)
        assert.deepEqual(followed.map(comparable), stored.map(comparable))
      })
    },
  }
}

/** A row with its attributes by their indexes: the memory in which they are depends on how the row was read. */
function comparable({ attributes, ...row }: TrackRow) {
  const values: [index: number, value: AttributeValue][] = []
  const take = (index: number, value: AttributeValue) => void values.push([index, value])
  attributes?.(take)
  return { ...row, values }
}
