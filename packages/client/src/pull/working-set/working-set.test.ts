import assert from 'node:assert/strict'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { memoryStore } from '../../replica/memory-store.ts'
import type { ReplicaWrite } from '../../replica/replica-store.ts'
import { anyWrite, contentsOf, progressOf, putOf, TIMES } from '../any-writes.fixture.ts'
import { dateOf, dayOf } from './day.ts'
import { type Stored, storedPosition } from './stored.ts'
import { openWorkingSet, type WorkingSet } from './working-set.ts'

/** A test needs no file that survives a power cut. */
const WITHOUT_SYNC = { isDurable: false }

/** Pages, and what happens after each. */
const anySteps = fc.array(
  fc.record({
    writes: fc.array(anyWrite, { maxLength: 8 }),
    isStart: fc.nat(9).map((draw) => draw === 0),
    after: fc.constantFrom('nothing', 'nothing', 'settle', 'open again'),
  }),
  { maxLength: 12 },
)

/** Writes the changed days, as a folder does. */
async function settleInto(files: Map<string, Stored[]>, set: WorkingSet): Promise<void> {
  for (const day of set.days()) {
    if (!set.isChanged(day)) continue
    const rows: Stored[] = []
    const count = await set.settle(day, async (all) => void rows.push(...all))
    assert.equal(count, rows.length)
    files.set(dateOf(day), rows)
  }
}

describe('A working set', () => {
  it('has what a store in memory has, and its files too', async () => {
    await fc.assert(
      fc.asyncProperty(anySteps, async (steps) => {
        using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-set-'))
        const path = join(folder.path, 'set.db')
        const model = memoryStore()
        const files = new Map<string, Stored[]>()
        let set = await openWorkingSet(path, WITHOUT_SYNC)
        for (const [index, { writes, isStart, after }] of steps.entries()) {
          const asOf = index + 1
          const clear: ReplicaWrite[] = isStart ? [{ write: 'clear' }] : []
          const all = [...clear, ...writes.map((write) => write(asOf))]
          for (const store of [model, set]) await store.commit(all, progressOf(asOf))
          if (after === 'settle') await settleInto(files, set)
          if (after !== 'open again') continue
          set.close()
          set = await openWorkingSet(path, WITHOUT_SYNC)
        }
        const expected = await contentsOf(model)
        const byTime = ({ positions, ...rest }: typeof expected) => ({
          ...rest,
          positions: positions.map(({ position }) => position),
        })
        assert.deepEqual(byTime(await contentsOf(set)), byTime(expected))
        await settleInto(files, set)
        const settled = [...files.values()].flat().sort((a, b) => a.id - b.id || a.time - b.time)
        assert.deepEqual(
          settled.map((row) => storedPosition(row).position),
          expected.positions.map(({ position }) => position),
        )
        set.close()
      }),
      { numRuns: 100 },
    )
  })

  it('does not write a day again for writes that change nothing', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-set-'))
    const set = await openWorkingSet(join(folder.path, 'set.db'), WITHOUT_SYNC)
    await set.commit([putOf(1, TIMES[0]!, 1, null)(5)], progressOf(5))
    await settleInto(new Map(), set)
    const range = { id: 1, from: TIMES[0]!, to: null }
    const amounts = { odometer_mm: 1, mileage_mm: 1, engine_hours_ms: 1 }
    const shift = { write: 'shift-positions' as const, ...range, ...amounts }
    await set.commit(
      [
        { ...shift, seq: 5 },
        { ...shift, id: 2, seq: 6 },
      ],
      progressOf(6),
    )
    const day = dayOf(Date.parse(TIMES[0]!))
    assert.deepEqual([set.days(), set.isChanged(day)], [[day], false])
    await set.commit([{ ...shift, seq: 7 }], progressOf(7))
    assert.equal(set.isChanged(day), true)
    set.close()
  })

  it('takes a page that removes one range twice', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-set-'))
    const set = await openWorkingSet(join(folder.path, 'set.db'), WITHOUT_SYNC)
    const [time] = TIMES
    await set.commit([putOf(1, time!, 1, null)(1)], progressOf(1))
    const removal = { write: 'delete-positions', id: 1, from: time!, to: time! } as const
    await set.commit([removal, removal], progressOf(2))
    assert.deepEqual(await Array.fromAsync(set.positions(1, time!, time!)), [])
    set.close()
  })

  it('takes pages of one position, in any order of time', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-set-'))
    const set = await openWorkingSet(join(folder.path, 'set.db'), WITHOUT_SYNC)
    const start = Date.parse(TIMES[0]!)
    const timeAt = (n: number) => new Date(start + ((n * 7_919) % 1_000)).toISOString()
    for (let n = 0; n < 1_000; n += 1) {
      await set.commit([putOf(1 + (n % 3), timeAt(n), n, null)(n)], progressOf(n))
    }
    const files = new Map<string, Stored[]>()
    await settleInto(files, set)
    const rows = files.get('2026-11-20')!
    assert.equal(rows.length, 1_000)
    assert.deepEqual(
      rows,
      rows.toSorted((a, b) => a.id - b.id || a.time - b.time),
    )
    set.close()
  })
})
