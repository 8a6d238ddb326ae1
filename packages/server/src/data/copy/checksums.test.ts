import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { weekOf } from '../../engine/store/position-store.ts'
import { checksumOf, differences, weekSumsOf } from './checksums.ts'
import { POSITIONS } from './copy-port.ts'
import { tupleWriter } from './tuples.ts'

type Row = { object: number; time: number; content: number }

const anyRows: fc.Arbitrary<Row[]> = fc
  .uniqueArray(
    fc.record({
      object: fc.integer({ min: 1, max: 5 }),
      time: fc.nat(2_000_000_000),
      content: fc.nat(255),
    }),
    { selector: ({ object, time }) => `${object} ${time}`, maxLength: 30 },
  )
  .map((rows) => rows.sort((a, b) => a.object - b.object || a.time - b.time))

describe('The checksums of positions', () => {
  it('are the same for every division of the rows into blocks', async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, fc.integer({ min: 1, max: 9 }), async (rows, size) => {
        const apart = await Promise.all([checksumOf(blocks(rows, size)), weekSums(rows, size)])
        const together = await Promise.all([checksumOf(blocks(rows, 99)), weekSums(rows, 99)])
        assert.deepEqual(apart, together)
        assert.equal(apart[0].rows, rows.length)
      }),
    )
  })

  it('differ exactly in the weeks of objects whose rows differ', async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, anyRows, async (one, other) => {
        const found = differences(await weekSums(one, 4), await weekSums(other, 4))
        const expected = new Map<number, number[]>()
        for (const { object, time } of [...one, ...other]) {
          const week = weekOf(time)
          const objects = expected.get(week) ?? []
          if (objects.includes(object)) continue
          const within = (rows: Row[]) =>
            JSON.stringify(rows.filter((row) => row.object === object && weekOf(row.time) === week))
          if (within(one) !== within(other)) expected.set(week, [...objects, object].sort())
        }
        assert.deepEqual(found, expected)
      }),
    )
  })
})

const weekSums = (rows: Row[], size: number) => weekSumsOf(blocks(rows, size), () => {})

async function* blocks(rows: Row[], size: number): AsyncGenerator<Buffer> {
  const writer = tupleWriter(POSITIONS)
  for (let at = 0; at < rows.length; at += size) {
    for (const { object, time, content } of rows.slice(at, at + size)) {
      writer.add([1, object, time, 1, null, Buffer.from([content]), null])
    }
    yield writer.take()
  }
}
