import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { handedClock } from '../../../testing/handed-clock.ts'
import { BRIDGED_TRIPS } from '../../../testing/store-contract/arrivals.ts'
import { driveOf, drivesOn } from '../../../testing/store-contract/drives.ts'
import { NOW } from '../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import type { Fix } from '../../base/domain/position/fix.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'

const TRACKING = foldRules(handedClock(NOW * 1_000))

describe('A late fix in SQLite', () => {
  it('rewrites the next few of thousands of positions, and writes one shift for the rest', async (t) => {
    const { drives, records, shifts } = await tables(t)
    const object = await drives.add()
    await drives.append(object, DRIVE)
    const before = records(object)
    await drives.append(object, [beside(10)])
    const changed = changedIn(before, records(object))
    assert.ok(changed.length <= 100, `${changed.length} were written again`)
    const next = 11 + changed.length
    assert.deepEqual(changed, timesOf(DRIVE.slice(11, next)))
    const [shift, ...others] = shifts(object)
    assert.equal(shift?.from, DRIVE[next]!.timeDevice)
    assert.ok(shift.odometer > 0)
    assert.deepEqual(others, [])
  })

  it('adds to an existing shift', async (t) => {
    const { drives, records, shifts } = await tables(t)
    const object = await drives.add()
    await drives.append(object, DRIVE)
    await drives.append(object, [beside(500)])
    const [first] = shifts(object)
    const at = timesOf(DRIVE).indexOf(first!.from)
    const before = records(object)
    await drives.append(object, [beside(at - 6)])
    assert.deepEqual(changedIn(before, records(object)), timesOf(DRIVE.slice(at - 5, at)))
    const [second, ...others] = shifts(object)
    assert.equal(second?.from, first!.from)
    assert.ok(second.odometer > first!.odometer)
    assert.deepEqual(others, [])
  })

  it('moves a shift behind the rewritten rows, within a trip or at its start', async (t) => {
    const { drives, shifts } = await tables(t)
    for (const pause of [0, 600_000]) {
      const scout = await drives.add()
      await drives.append(scout, DRIVE)
      await drives.append(scout, [beside(500)])
      const at = timesOf(DRIVE).indexOf(shifts(scout)[0]!.from)
      const drive = DRIVE.map((fix, index) =>
        index < at ? fix : { ...fix, timeDevice: fix.timeDevice + pause },
      )
      const object = await drives.add()
      await drives.append(object, drive)
      await drives.append(object, [beside(500)])
      const [shift] = shifts(object)
      assert.equal(shift?.from, drive[at]!.timeDevice)
      // The rows from its start on must be written without the shift.
      const [same, better] = [
        { ...drive[at]!, hdop: 2 },
        { ...drive[at]!, hdop: 1, latitude: 30.2505 },
      ]
      await drives.append(object, [same])
      await drives.foldOn()
      assert.ok(shifts(object).every(({ from }) => from > shift.from))
      const fresh = await drives.add()
      await drives.append(fresh, [...drive, beside(500), same])
      await drives.assertAlike(object, fresh)
      for (const each of [object, fresh]) await drives.append(each, [better])
      await drives.foldOn()
      await drives.assertAlike(object, fresh)
    }
  })

  it('leaves a mark if more than a thousand positions change', async (t) => {
    const { drives, marks } = await tables(t)
    const object = await drives.add()
    const [onTime, late] = BRIDGED_TRIPS.batches
    await drives.append(object, onTime!)
    assert.deepEqual(marks(), [])
    await drives.append(object, late!)
    const [mark, ...others] = marks()
    assert.equal(mark?.object, object)
    assert.ok(mark.after > late![0]!.timeDevice && mark.after < onTime!.at(-1)!.timeDevice)
    assert.deepEqual(others, [])
    await drives.foldOn()
    assert.deepEqual(marks(), [])
  })

  it('leaves no shift behind a recompute', async (t) => {
    const { drives, store, shifts } = await tables(t)
    const object = await drives.add()
    await drives.append(object, DRIVE)
    for (const index of [10, 300, 301, 1_500]) await drives.append(object, [beside(index)])
    assert.ok(shifts(object).length > 1)
    await store.positions.requestRefold({ organization: drives.organization, object })
    assert.equal(await drives.foldOn(), 1)
    assert.deepEqual(shifts(object), [])
  })
})

/** A straight line, sixty meters between fixes. */
const DRIVE = driveOf(2_000, 60)

/** A second after a fix of the drive, next to its path. */
function beside(index: number): Fix {
  const fix = DRIVE[index]!
  return { ...fix, timeDevice: fix.timeDevice + 1_000, latitude: fix.latitude + 0.001 }
}

function timesOf(fixes: readonly Fix[]): number[] {
  return fixes.map(({ timeDevice }) => timeDevice)
}

/** A store, and the content of its tables. */
async function tables(t: TestContext) {
  const { store, inspect } = await temporaryStore(t)
  const database = inspect()
  const drives = await drivesOn(store, TRACKING)
  const all = <Row>(sql: string, ...values: number[]) =>
    database.prepare(sql).all(...values) as Row[]
  return {
    store,
    drives,
    /** The bytes of each record, by time. */
    records: (object: number) =>
      new Map(
        all<{ time: number; fix: Uint8Array }>(
          'SELECT time_device AS time, fix FROM positions WHERE object = ?',
          object,
        ).map(({ time, fix }) => [time, Buffer.from(fix).toString('hex')]),
      ),
    shifts: (object: number) =>
      all<{ from: number; odometer: number }>(
        'SELECT from_time AS "from", odometer FROM counter_shifts WHERE object = ? ORDER BY from_time',
        object,
      ).map((row) => ({ ...row })),
    marks: () =>
      all<{ object: number; after: number }>('SELECT object, from_time AS after FROM refolds').map(
        (row) => ({ ...row }),
      ),
  }
}

/** The times of records that are in both but differ. */
function changedIn(before: Map<number, string>, after: Map<number, string>): number[] {
  return [...before].filter(([time, record]) => after.get(time) !== record).map(([time]) => time)
}
