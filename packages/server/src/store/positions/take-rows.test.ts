import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyPositionRows } from '../../../testing/any-position-rows.ts'
import { decodeBlock, encodeBlock } from './block.ts'
import { rowAt } from './columns-to-rows.ts'
import { columnsOf } from './rows-to-columns.ts'
import { takeRows } from './take-rows.ts'

describe('Rows taken from blocks', () => {
  it('are those of the blocks, whichever block each is in', () => {
    const parts = fc.array(fc.nat(2), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(anyPositionRows, parts, (rows, parts) => {
        const partOf = (row: number) => parts[row % parts.length]!
        const all = [0, 1, 2].map((part) => rows.filter((_, row) => partOf(row) === part))
        const blocks = all.map((part) => (part.length === 0 ? null : throughBlock(part)))
        const next = [0, 0, 0]
        const places = rows.map((_, row) => {
          const part = partOf(row)
          const place = { block: blocks[part]!, row: next[part]! }
          next[part]! += 1
          return place
        })
        const { columns } = decodeBlock(encodeBlock(OWNER, takeRows(places)))
        const taken = rows.map((_, row) => rowAt(columns, row))
        assert.deepEqual(taken, rows)
      }),
      { numRuns: 200 },
    )
  })
})

const OWNER = { organization: 1, object: 2 }

function throughBlock(rows: Parameters<typeof columnsOf>[0]) {
  return decodeBlock(encodeBlock(OWNER, columnsOf(rows))).columns
}
