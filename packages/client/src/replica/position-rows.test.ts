import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { timeAt } from './page-parts.fixture.ts'
import { positionRows } from './position-rows.ts'
import type { StoredPosition } from './replica-store.ts'

const anyTime = fc.nat(9).map(timeAt)
const anyEnd = fc.option(anyTime)
const anyStep = fc.oneof(
  fc.record({ is: fc.constant('put' as const), time: anyTime, value: fc.nat() }),
  fc.record({ is: fc.constant('delete' as const), from: anyEnd, to: anyEnd }),
  fc.record({ is: fc.constant('replace' as const), from: anyEnd, to: anyEnd }),
)

const rowOf = (time: string, asOf: number) => ({ asOf, time }) as never as StoredPosition
const next = (row: StoredPosition) => ({ ...row, asOf: row.asOf + 1 })

it('rows by time behave as a map that is sorted', () => {
  fc.assert(
    fc.property(fc.array(anyStep), anyTime, anyTime, (steps, from, to) => {
      const rows = positionRows()
      const model = new Map<string, StoredPosition>()
      for (const step of steps) {
        if (step.is === 'put') {
          rows.put(step.time, rowOf(step.time, step.value))
          model.set(step.time, rowOf(step.time, step.value))
          continue
        }
        const isIn = (time: string) =>
          (step.from === null || time >= step.from) && (step.to === null || time <= step.to)
        if (step.is === 'delete') rows.delete(step.from, step.to)
        else rows.replace(step.from, step.to, next)
        for (const [time, row] of model) {
          if (!isIn(time)) continue
          if (step.is === 'delete') model.delete(time)
          else model.set(time, next(row))
        }
      }
      const expected = [...model].sort(([a], [b]) => (a < b ? -1 : 1))
      assert.deepEqual(
        [...rows.between(from, to)],
        expected.filter(([time]) => time >= from && time <= to).map(([, row]) => row),
      )
    }),
  )
})
