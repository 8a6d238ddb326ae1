import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { bareFix } from '../../base/domain/position/fix.ts'
import { packFix } from '../../base/domain/position/fix-record.ts'
import { UNSEEN } from '../../base/domain/position/object-state.ts'
import { columnsOfRecords, timeIn } from '../../base/domain/position/position-columns.ts'
import { logOffset, type Page, type PageEntry } from '../../engine/changes/page.ts'
import { quotaExhausted } from '../refusal.ts'
import type { ChargeLater, Due } from '../request-limits.ts'
import { chargePage } from './charge-page.ts'

/** An object, and how many positions; 0 for its state, -1 for a free entry. */
type Wanted = [object: number, positions: number]

const anyWanted: fc.Arbitrary<Wanted[]> = fc.array(
  fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: -1, max: 4 })),
  { maxLength: 12 },
)
/** Hundredths that objects 1 to 3 have left. */
const anyLeft = fc.tuple(...[1, 2, 3].map(() => fc.integer({ min: 0, max: 220 })))

const NO_COUNTERS = { odometer: null, mileage: null, engineHours: null }

/** A page of these entries. All its positions have different times, in order. */
function pageOf(wanted: readonly Wanted[], isSnapshot: boolean): Page {
  let time = 0
  const entries = wanted.map(([id, positions], index): PageEntry => {
    const object = { id } as never
    const before = logOffset(index)
    if (positions === 0) {
      time += 1
      const state = { ...UNSEEN, lastFix: bareFix(time, 0, 1, 1) }
      return { type: 'state', op: 'put', object, state, before, seq: index }
    }
    if (positions < 0) return { type: 'sites', op: 'delete', id, before, seq: index }
    const fixes = Array.from({ length: positions }, () => bareFix(++time, 0, 1, 1))
    return {
      ...{ type: 'position', op: 'put', late: false, object, state: UNSEEN, seq: index },
      columns: columnsOfRecords(Buffer.concat(fixes.map((fix) => packFix(fix, NO_COUNTERS)))),
      ...{ first: 0, count: positions },
      beforeRow: (row: number) => logOffset(index * 100 + row),
    } as PageEntry
  })
  return { asOf: 1, isSnapshot, entries, next: logOffset(1_000), hasMore: false }
}

/** One text for each row, and the object that pays for it. */
function rowsIn({ entries }: Page): { row: string; object: number | undefined }[] {
  return entries.flatMap((entry) => {
    if (entry.type === 'withheld') return []
    if (entry.type === 'state') {
      return { row: `state ${entry.state.lastFix!.timeDevice}`, object: entry.object.id }
    }
    if (!('count' in entry)) return { row: `free ${entry.seq}`, object: undefined }
    return Array.from({ length: entry.count }, (_, row) => ({
      row: `at ${timeIn(entry.columns, entry.first + row)}`,
      object: entry.object.id,
    }))
  })
}

/** A quota that charges all or none. */
function quotaOf(left: readonly number[]): { charge: ChargeLater; left: number[] } {
  const now = [0, ...left]
  return {
    left: now,
    async charge({ objects, hundredths }: Due) {
      const amount = (at: number) => hundredths?.[at] ?? 100
      const exhausted = objects.filter((object, at) => now[object]! < amount(at))
      if (exhausted.length > 0) {
        const refusal = quotaExhausted(exhausted)
        return { refusal, charged: false, exhausted, left: exhausted.map((each) => now[each]!) }
      }
      for (const [at, object] of objects.entries()) now[object]! -= amount(at)
      return undefined
    },
  }
}

/** How many rows each object can pay, of the rows in order. Undefined: not this one. */
function isPaid(left: readonly number[], isSnapshot: boolean) {
  const now = [0, ...left]
  return ({ object }: { object: number | undefined }): boolean => {
    if (object === undefined) return true
    if (isSnapshot) return left[object - 1]! >= 100
    now[object]! -= 1
    return now[object]! >= 0
  }
}

describe('A page of changes', () => {
  it('ends before the first row that its object cannot pay, and charges the rest exactly', async () => {
    await fc.assert(
      fc.asyncProperty(anyWanted, anyLeft, fc.boolean(), async (wanted, left, isSnapshot) => {
        const page = pageOf(wanted, isSnapshot)
        const quota = quotaOf(left.map((each) => (isSnapshot ? each : Math.floor(each / 20))))
        const before = [...quota.left]
        const rows = rowsIn(page)
        const paid = isPaid(before.slice(1), isSnapshot)
        const unpaid = rows.findIndex((row) => !paid(row))
        const expected = unpaid === -1 ? rows : rows.slice(0, unpaid)
        const charged = await chargePage(page, false, quota.charge)
        if ('status' in charged) {
          assert.deepEqual([expected.length, unpaid], [0, 0])
          assert.deepEqual(quota.left, before)
          return
        }
        assert.deepEqual(rowsIn(charged), expected)
        assert.equal(charged.hasMore, unpaid !== -1)
        const spent = before.map((each, object) => each - quota.left[object]!)
        const mine = (object: number) => expected.filter((row) => row.object === object).length
        const price = (count: number) => (isSnapshot ? Math.min(count, 1) * 100 : count)
        assert.deepEqual(
          spent,
          before.map((_, object) => (object === 0 ? 0 : price(mine(object)))),
        )
      }),
    )
  })

  it('lacks only rows that are not paid, and tells from when to when they were', async () => {
    await fc.assert(
      fc.asyncProperty(anyWanted, anyLeft, fc.boolean(), async (wanted, left, isSnapshot) => {
        const page = pageOf(wanted, isSnapshot)
        const quota = quotaOf(left.map((each) => (isSnapshot ? each : Math.floor(each / 20))))
        const paid = isPaid(quota.left.slice(1), isSnapshot)
        const rows = rowsIn(page).map((row) => ({ ...row, isPaid: paid(row) }))
        const charged = await chargePage(page, true, quota.charge)
        assert.ok(!('status' in charged))
        assert.deepEqual(
          rowsIn(charged),
          rows.filter((row) => row.isPaid).map(({ row, object }) => ({ row, object })),
        )
        const told = charged.entries.flatMap((entry) =>
          entry.type === 'withheld' ? [[entry.object, entry.from, entry.to]] : [],
        )
        const lacking = Map.groupBy(
          rows.filter((row) => !row.isPaid),
          ({ object }) => object!,
        )
        const expected = Array.from(lacking, ([object, missing]) => {
          const times = missing.map(({ row }) => Number(row.split(' ')[1]))
          return [object, Math.min(...times), Math.max(...times)]
        })
        assert.deepEqual(told, expected)
        assert.deepEqual([charged.next, charged.hasMore], [page.next, false])
      }),
    )
  })
})
