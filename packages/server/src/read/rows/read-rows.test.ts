import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { everyStep } from '../../../testing/every-step.ts'
import { bareFix } from '../../base/domain/position/fix.ts'
import { packFix } from '../../base/domain/position/fix-record.ts'
import {
  columnsOfRecords,
  type PositionColumns,
  timeIn,
} from '../../base/domain/position/position-columns.ts'
import type { ReaderView } from '../../engine/store/change-log.ts'
import { type RowOffset, readRows } from './read-rows.ts'

const NONE = { engineHours: null, odometer: null, mileage: null }
const recordOf = (time: number) => packFix(bareFix(time, time, 1, 2), NONE)

/** The times of each object's rows. */
type Rows = ReadonlyMap<number, readonly number[]>

/** The part of a view that reads rows, over times in memory. */
function viewOf(rows: Rows): ReaderView {
  const timesOf = (object: number) => rows.get(object) ?? []
  const view: Pick<ReaderView, 'range' | 'newest' | 'positions'> = {
    async range(object, after, to, limit) {
      const found = timesOf(object).filter((time) => time > after && time <= to)
      if (found.length === 0) return []
      return [columnsOfRecords(Buffer.concat(found.slice(0, limit).map(recordOf)))]
    },
    async newest(objects, { from, to }) {
      return objects.flatMap((object) => {
        const time = timesOf(object).findLast((each) => each >= from && each <= to)
        return time === undefined ? [] : [{ object, time }]
      })
    },
    positions: async (names) => names.map(({ time }) => recordOf(time)),
  }
  return view as ReaderView
}

const anyTimes = fc
  .uniqueArray(fc.nat(3_000_000), { maxLength: 40 })
  .map((times) => times.sort((a, b) => a - b))
const anyRows = fc.array(anyTimes, { minLength: 1, maxLength: 5 })
const anyStep = fc.option(fc.integer({ min: 1, max: 900 }).map((seconds) => seconds * 1_000))

/** A plain filter of the rows of one object in a range. */
function expected(times: readonly number[], from: number, to: number, step: number | null) {
  const inside = times.filter((time) => time >= from && time <= to)
  if (step === null) return inside
  return everyStep(inside, step)
}

describe('The pages of rows of several objects', () => {
  it('have together the rows of a plain filter, by object as asked', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRows,
        anyStep,
        fc.nat(1_500_000),
        fc.integer({ min: 1, max: 30 }),
        async (all, stepMs, from, limit) => {
          const rows: Rows = new Map(all.map((times, i) => [i + 1, times]))
          const objects = [...rows.keys()].reverse().flatMap((object) => [object, null])
          const range = { from, to: from + 1_200_000 }
          const rangeOf = () => range
          const read: [object: number, time: number][] = []
          let after: RowOffset | null = null
          do {
            const page = await readRows(viewOf(rows), { objects, rangeOf, stepMs, after, limit })
            const before = read.length
            for (const { object, columns } of page.runs) {
              for (const time of timesIn(columns)) read.push([object, time])
            }
            assert.ok(read.length - before <= limit)
            assert.ok(page.next === null || read.length - before === limit)
            after = page.next
          } while (after !== null)
          const wanted = objects.flatMap((object) =>
            expected(rows.get(object ?? 0) ?? [], range.from, range.to, stepMs).map((time) => [
              object,
              time,
            ]),
          )
          assert.deepEqual(read, wanted)
        },
      ),
    )
  })

  it('leave out rows that have expired since the page before', async () => {
    const rows: Rows = new Map([[1, [10_000, 20_000, 30_000, 40_000, 50_000]]])
    const selection = { objects: [1], after: { index: 0, time: 10_000 }, limit: 9 }
    const rangeOf = () => ({ from: 35_000, to: 60_000 })
    for (const stepMs of [null, 1_000]) {
      const page = await readRows(viewOf(rows), { ...selection, rangeOf, stepMs })
      const times = page.runs.flatMap(({ columns }) => timesIn(columns))
      assert.deepEqual(times, [40_000, 50_000])
    }
  })
})

function timesIn(columns: PositionColumns): number[] {
  return Array.from({ length: columns.rows }, (_, row) => timeIn(columns, row))
}
