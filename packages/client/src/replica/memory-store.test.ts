import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { progressOf, putOf, TIMES } from '../pull/any-writes.fixture.ts'
import { memoryStore } from './memory-store.ts'

describe('A store in memory', () => {
  it('shows what has come so far until it was complete once', async () => {
    const store = memoryStore()
    await store.commit([{ write: 'clear' }, putOf(1, TIMES[0]!, 1, null)(1)], progressOf(1, false))
    assert.equal(countIn(store), 1)
    await store.commit([putOf(1, TIMES[1]!, 2, null)(1)], progressOf(1, true))
    assert.equal(countIn(store), 2)
  })

  it('shows the data of before until the last page of a new start', async () => {
    const store = memoryStore()
    const all = TIMES.map((time) => putOf(1, time, 1, null)(1))
    await store.commit([{ write: 'clear' }, ...all], progressOf(1, true))
    await store.commit([{ write: 'clear' }, all[0]!], progressOf(2, false))
    for (const write of all.slice(1, 4)) {
      await store.commit([write], progressOf(2, false))
      assert.equal(countIn(store), TIMES.length)
    }
    await store.commit([], progressOf(2, true))
    assert.equal(countIn(store), 4)
  })
})

function countIn(store: ReturnType<typeof memoryStore>): number {
  return [...(store.positions(1, TIMES[0]!, TIMES.at(-1)!) as Iterable<unknown>)].length
}
