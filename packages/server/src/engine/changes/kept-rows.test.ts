import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NO_ENTRIES } from '../store/change-entries.ts'
import { KeptRows } from './kept-rows.ts'

const LONG = new Uint8Array(2_500)
const SHORT = new Uint8Array(70)

const stored = (object: number, time: number, record: Uint8Array | null) => [
  { object, time, record },
]

/** The times below `end` whose rows are kept, all of change number 1. */
function keptTimes(rows: KeptRows, object: number, end: number): number[] {
  const times = Array.from({ length: end }, (_, time) => time)
  return times.filter((time) => rows.at({ object, time }, 1) !== undefined)
}

describe('Rows that are kept', () => {
  it('take little memory, however long they are: the oldest ones go first', () => {
    const rows = new KeptRows(() => 0)
    for (let time = 0; time < 100; time += 1) rows.put(1, stored(7, time, LONG))
    const times = keptTimes(rows, 7, 100)
    assert.ok(times.length * LONG.length < 60_000)
    assert.ok(times.length > 20)
    assert.equal(times[0], 100 - times.length)
  })

  it('go from the objects that were written least recently', () => {
    const rows = new KeptRows(() => 0)
    for (let time = 0; time < 150; time += 1) rows.put(1, stored(7, time, SHORT))
    for (let time = 0; time < 150; time += 1) rows.put(1, stored(8, time, SHORT))
    assert.equal(keptTimes(rows, 8, 150).length, 150)
    const left = keptTimes(rows, 7, 150)
    assert.ok(left.length > 0 && left.length < 150)
    assert.equal(left.at(-1), 149)
  })

  it('make room again after they were forgotten', () => {
    const rows = new KeptRows(() => 0)
    const entries = (time: number) => ({
      ...NO_ENTRIES,
      objects: [{ object: 7, positions: [{ time, late: false }], shifts: [], rewritten: null }],
    })
    for (let time = 0; time < 1_000; time += 1) {
      rows.put(1, stored(7, time, LONG))
      rows.follow(2, entries(time))
    }
    rows.put(1, stored(8, 0, null))
    assert.equal(rows.at({ object: 8, time: 0 }, 1), null)
    assert.deepEqual(keptTimes(rows, 7, 1_000), [])
    for (let time = 0; time < 20; time += 1) rows.put(1, stored(8, time, LONG))
    assert.equal(keptTimes(rows, 8, 20).length, 20)
  })

  it('are kept for a minute', () => {
    let now = 1_000
    const rows = new KeptRows(() => now)
    rows.put(1, stored(7, 5, SHORT))
    now += 60_000
    assert.deepEqual(rows.at({ object: 7, time: 5 }, 1), SHORT)
    now += 1
    assert.equal(rows.at({ object: 7, time: 5 }, 1), undefined)
  })
})
