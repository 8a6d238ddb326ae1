import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Fix } from '../../src/base/domain/position/fix.ts'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import { recordsIn } from '../records-in-columns.ts'
import { BRIDGED_TRIPS } from './arrivals.ts'
import { driveOf, drivesOn, keptApart, moving, rowsOf } from './drives.ts'
import { ALL_TIME, MISSING, NOW, recordsOf, type StoreTest } from './fixture.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

export function lateContract(it: StoreTest, rules: FoldRules): void {
  describe('A late fix', () => {
    it('changes all later counters by the same amount, a month late among 5,000', async (store) => {
      const drives = await drivesOn(store, rules)
      const object = await drives.add()
      await drives.append(object, MONTH)
      const before = rowsOf(await drives.history(object))
      const detour = beside(MONTH[10]!, { latitude: 30.2513 })
      assert.deepEqual(await drives.append(object, [detour]), ['accepted'])
      const after = rowsOf(await drives.history(object)).filter(
        ({ time }) => time !== detour.timeDevice,
      )
      const way = after.at(-1)!.odometer! - before.at(-1)!.odometer!
      assert.ok(way > 100_000 && way < 200_000, `${way} mm`)
      for (const [index, row] of before.entries()) {
        const { time, odometer, mileage } = after[index]!
        const isLater = time > detour.timeDevice
        const isSameTrip = isLater && index < FIXES_OF_A_DAY
        assert.equal(time, row.time)
        assert.equal(odometer, row.odometer! + (isLater ? way : 0), `odometer of ${index}`)
        assert.equal(mileage, row.mileage! + (isSameTrip ? way : 0), `mileage of ${index}`)
      }
      const fresh = await drives.add()
      await drives.append(fresh, [...MONTH.slice(0, 11), detour, ...MONTH.slice(11)])
      await drives.assertAlike(object, fresh)
    })

    it('is in every page of a history, with the counters of the whole history', async (store) => {
      const drives = await drivesOn(store, rules)
      const object = await drives.add()
      await drives.append(object, MONTH)
      for (const index of [10, 2_000, 2_001, 4_321]) {
        await drives.append(object, [beside(MONTH[index]!, { latitude: 30.251 })])
      }
      const whole = await drives.history(object)
      const { organization } = drives
      const pages: Buffer[] = []
      for (let from = 0; ; ) {
        const range = { from, to: ALL_TIME.to }
        const page = await store.positions.history(organization, object, range, 333)
        pages.push(await recordsOf(page))
        if (page.next === null) break
        from = page.next + 1
      }
      assert.equal(pages.length, Math.ceil((MONTH.length + 4) / 333))
      assert.deepEqual(Buffer.concat(pages), whole)
      for (const day of [0, 12, 29]) {
        const from = MONTH[0]!.timeDevice + day * DAY
        const range = { from, to: from + DAY - 1 }
        const part = await store.positions.history(organization, object, range, null)
        const expected = rowsOf(whole).filter(({ time }) => time >= range.from && time <= range.to)
        assert.deepEqual(rowsOf(await recordsOf(part)), expected)
      }
    })

    it('hides and shows nothing in a page that was opened before', async (store) => {
      const drives = await drivesOn(store, rules)
      const object = await drives.add(keptApart(100))
      // At 60 m between fixes every second one is shown.
      const drive = driveOf(3_000, 60)
      await drives.append(object, drive)
      const shown = timesOf(await drives.history(object))
      const oddTimes = drive.map(({ timeDevice }) => timeDevice).filter((_, index) => index % 2)
      assert.equal(shown.length, 1_500)
      const page = await store.positions.history(drives.organization, object, ALL_TIME, null)
      const read: Uint8Array[] = []
      for await (const block of page.blocks) {
        if (read.length === 0) {
          // If the first is far away, the other ones are shown.
          const { longitude } = moving(0, 170)
          await drives.append(object, [beside(drive[0]!, { longitude })])
          assert.ok((await drives.foldOn()) > 0)
        }
        read.push(recordsIn(block))
      }
      assert.deepEqual(timesOf(Buffer.concat(read)), shown)
      const now = timesOf(await drives.history(object))
      assert.deepEqual(now.slice(-oddTimes.length), oddTimes)
      assert.equal(now.length, oddTimes.length + 2)
    })

    it('leaves excess work to a later fold if it joins two trips, with the same result', async (store) => {
      const drives = await drivesOn(store, rules)
      const object = await drives.add()
      const { fixes, batches } = BRIDGED_TRIPS
      for (const batch of batches) await drives.append(object, batch)
      const scope = { organization: drives.organization, object }
      assert.equal(await store.positions.refold({ ...scope, object: MISSING }, rules), null)
      const slices = [await store.positions.refold(scope, rules)]
      while (slices.at(-1)?.finished === false) {
        slices.push(await store.positions.refold(scope, rules))
      }
      assert.ok(slices.every((slice) => slice?.object === object))
      assert.equal(await store.positions.refold(null, rules), null)
      const fresh = await drives.add()
      await drives.append(fresh, fixes)
      await drives.assertAlike(object, fresh)
      const rows = rowsOf(await drives.history(object))
      assert.ok(rows.every(({ odometer, mileage }) => odometer === mileage))
    })
  })
}

const FIXES_OF_A_DAY = 167

/** Thirty days, each of one trip of 167 fixes a minute apart. */
const MONTH: Fix[] = Array.from({ length: 30 * FIXES_OF_A_DAY }, (_, index) => {
  const [day, minute] = [Math.floor(index / FIXES_OF_A_DAY), index % FIXES_OF_A_DAY]
  const time = NOW - 31 * DAY + day * DAY + minute * MINUTE
  return moving(time, index * 500)
})

function beside(fix: Fix, changes: Partial<Fix>): Fix {
  return { ...fix, timeDevice: fix.timeDevice + 1_000, ...changes }
}

function timesOf(records: Buffer): number[] {
  return rowsOf(records).map(({ time }) => time)
}
