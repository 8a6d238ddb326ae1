import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
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
import { steppedHistory } from './object-history.ts'

const NONE = { engineHours: null, odometer: null, mileage: null }
const columnsOf = (times: readonly number[]) =>
  columnsOfRecords(Buffer.concat(times.map((time) => packFix(bareFix(time, time, 1, 2), NONE))))

const anyTimes = fc
  .uniqueArray(fc.nat(2_000_000), { maxLength: 60 })
  .map((times) => times.sort((a, b) => a - b))
const anyStep = fc.integer({ min: 1, max: 300 }).map((seconds) => seconds * 1_000)

async function* blocksOf(times: readonly number[], size: number): AsyncGenerator<PositionColumns> {
  for (let from = 0; from < times.length; from += size) {
    yield columnsOf(times.slice(from, from + size))
  }
}

async function timesOf(blocks: AsyncIterable<PositionColumns>): Promise<number[]> {
  const times: number[] = []
  for await (const block of blocks) {
    for (let row = 0; row < block.rows; row += 1) times.push(timeIn(block, row))
  }
  return times
}

const NOT_GONE = new AbortController().signal

describe('A history by step', () => {
  it('has the rows of a plain filter, whatever the blocks', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyTimes,
        anyStep,
        fc.integer({ min: 1, max: 9 }),
        async (times, step, size) => {
          const history = { next: null, blocks: blocksOf(times, size) }
          const { next, blocks } = await steppedHistory(history, step, null, null, NOT_GONE)
          assert.deepEqual([next, await timesOf(blocks)], [null, everyStep(times, step)])
        },
      ),
    )
  })

  it('has in pages what it has at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyTimes,
        anyStep,
        fc.integer({ min: 1, max: 7 }),
        async (times, step, limit) => {
          const paged: number[] = []
          let given: number | null = null
          do {
            const after: number = given ?? -1
            const rest = times.filter((time) => time > after)
            const taken = given === null ? null : Math.floor(given / step)
            const open = { next: null, blocks: blocksOf(rest, 4) }
            const page = await steppedHistory(open, step, taken, limit, NOT_GONE)
            const rows = await timesOf(page.blocks)
            assert.ok(rows.length <= limit && (page.next === null || rows.length === limit))
            paged.push(...rows)
            given = page.next
          } while (given !== null)
          assert.deepEqual(paged, everyStep(times, step))
        },
      ),
    )
  })

  it('ends reading when nobody takes more', async () => {
    let isEnded = false
    async function* blocks() {
      try {
        yield columnsOf([1_000])
        yield columnsOf([2_000])
      } finally {
        isEnded = true
      }
    }
    const { blocks: rows } = await steppedHistory(
      { next: null, blocks: blocks() },
      1_000,
      null,
      null,
      NOT_GONE,
    )
    for await (const _ of rows) break
    assert.ok(isEnded)
    assert.ok(!(rows instanceof Readable))
  })
})
