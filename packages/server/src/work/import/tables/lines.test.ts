import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chunksOf } from '../import-source.ts'
import { type Line, LONGEST_LINE, readLines } from './lines.ts'

async function linesOf(bytes: Uint8Array, size: number): Promise<Line[]> {
  return (await Array.fromAsync(readLines(chunksOf(bytes, size)))).flat()
}

test('lines are the same with any chunks', async () => {
  const text = fc
    .array(fc.constantFrom('a', 'é', '€', '🚌', ',', '"', '\n', '\r\n', '\r'), { maxLength: 60 })
    .map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 20 }), async (text, size) => {
      const read = await linesOf(Buffer.from(text), size)
      const expected = text.split('\n')
      if (expected.at(-1) === '') expected.pop()
      assert.deepEqual(
        read.map((line) => line.text),
        expected.map((line) => line.replace(/\r$/, '')),
      )
      assert.deepEqual(
        read.map((line) => line.number),
        expected.map((_, index) => index + 1),
      )
      assert.ok(read.slice(0, -1).every((line) => line.ended))
      if (read.length > 0) assert.equal(read.at(-1)!.ended, text.endsWith('\n'))
    }),
  )
})

test('a byte order mark is not part of the first line', async () => {
  const [line] = await linesOf(Buffer.from('\ufeffident\n'), 2)
  assert.equal(line!.text, 'ident')
})

test('an endless line does not fill the memory, and does not affect other lines', async () => {
  const endless = Buffer.concat([
    Buffer.from('a\n'),
    Buffer.alloc(5 * LONGEST_LINE, 'x'),
    Buffer.from('\nb\n'),
  ])
  for (const size of [1 << 16, endless.length]) {
    const read = await linesOf(endless, size)
    assert.deepEqual(
      read.map(({ number, tooLong, text }) => [number, tooLong, text.length]),
      [
        [1, false, 1],
        [2, true, LONGEST_LINE],
        [3, false, 1],
      ],
    )
  }
})
