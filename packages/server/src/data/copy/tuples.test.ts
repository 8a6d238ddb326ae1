import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type CopiedTable, POSITIONS } from './copy-port.ts'
import { countTuples, endOfTuple, positionKeyAt, rowsOf, tupleWriter } from './tuples.ts'

const TABLE: CopiedTable = {
  name: 'any',
  columns: { a: 'int8', b: 'int4', c: 'float8', d: 'bool', e: 'text', f: 'bytea' },
  owner: 'a',
  key: ['a'],
}

const anyRow = fc.tuple(
  ...[
    fc.maxSafeInteger(),
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.constantFrom(0, 1),
    fc.string({ unit: 'grapheme' }),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  ].map((value) => fc.option(value as fc.Arbitrary<number | string | Buffer>, { nil: null })),
)

describe('Tuples', () => {
  it('decode to the rows from which they were encoded', () => {
    fc.assert(
      fc.property(fc.array(anyRow), (rows) => {
        const writer = tupleWriter(TABLE)
        for (const row of rows) writer.add(row)
        const block = writer.take()
        assert.deepEqual([...rowsOf(TABLE, block)], rows)
        assert.equal(countTuples(block), rows.length)
      }),
    )
  })

  it('fit a row longer than a block', () => {
    const writer = tupleWriter(TABLE)
    const long = Buffer.alloc(1_000_000, 7)
    for (const row of [1, 2]) writer.add([row, null, null, null, 'é'.repeat(200_000), long])
    assert.ok(writer.isFull())
    const rows = [...rowsOf(TABLE, writer.take())]
    assert.deepEqual(
      rows.map(([first]) => first),
      [1, 2],
    )
    assert.deepEqual(rows[1]![5], long)
    assert.equal(writer.take().length, 0)
  })

  it('equal those of PostgreSQL', () => {
    const writer = tupleWriter({ ...TABLE, columns: { a: 'int8', d: 'bool', e: 'text' } })
    writer.add([-2, 1, null])
    assert.equal(
      writer.take().toString('hex'),
      ['0003', '00000008', 'fffffffffffffffe', '00000001', '01', 'ffffffff'].join(''),
    )
  })

  it('reveal the object and the time of a position', () => {
    const writer = tupleWriter(POSITIONS)
    const time = Date.UTC(2026, 10, 20)
    writer.add([1, 2 ** 40 + 5, time, 9, null, Buffer.alloc(60), null])
    writer.add([1, 7, time + 1, 9, 10, Buffer.alloc(61), Buffer.alloc(3)])
    const block = writer.take()
    assert.deepEqual(positionKeyAt(block, 0), { object: 2 ** 40 + 5, time })
    const second = endOfTuple(block, 0)
    assert.deepEqual(positionKeyAt(block, second), { object: 7, time: time + 1 })
    assert.equal(endOfTuple(block, second), block.length)
  })
})
