import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { chunksOf } from '../import-source.ts'
import { type CsvRecord, readCsv } from './csv-records.ts'

async function recordsOf(text: string, size = 1 << 16, delimiter = ','): Promise<CsvRecord[]> {
  const bytes = chunksOf(Buffer.from(text), size)
  return (await Array.fromAsync(readCsv(bytes, delimiter, 'utf-8'))).flat()
}

async function cellsOf(text: string, size?: number, delimiter?: string): Promise<string[][]> {
  return (await recordsOf(text, size, delimiter)).map(({ cells }) => cells)
}

const cell = fc
  .array(fc.constantFrom('a', 'ü', '🚌', '1', '.', ' ', ',', ';', '"', '\n'), { maxLength: 6 })
  .map((parts) => parts.join(''))

/** Tables by RFC 4180, with quotes where required and sometimes elsewhere. */
const table = fc
  .tuple(
    fc.integer({ min: 2, max: 5 }).chain((width) =>
      fc.array(fc.array(fc.tuple(cell, fc.boolean()), { minLength: width, maxLength: width }), {
        minLength: 1,
        maxLength: 8,
      }),
    ),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
  )
  .map(([rows, lineEnd, endsLine]) => {
    const written = [
      ['h'.padEnd(1), ...rows[0]!.slice(1).map((_, at) => `h${at}`)],
      ...rows.map((row) =>
        row.map(([text, quoted]) =>
          quoted || /[",\n]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text,
        ),
      ),
    ]
    return written.map((row) => row.join(',')).join(lineEnd) + (endsLine ? lineEnd : '')
  })

test('a table reads as csv-parse reads it, with any chunks', async () => {
  await fc.assert(
    fc.asyncProperty(table, fc.integer({ min: 1, max: 40 }), async (text, size) => {
      assert.deepEqual(await cellsOf(text, size), parse(text, { bom: true }))
    }),
    { numRuns: 300 },
  )
})

test('any text reads the same with any chunks', async () => {
  const text = fc
    .array(fc.constantFrom('a', 'é', ',', '"', '\n', '\r\n', '🚌'), { maxLength: 80 })
    .map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (text, size) => {
      assert.deepEqual(await recordsOf(text, size), await recordsOf(text))
    }),
    { numRuns: 300 },
  )
})

test('semicolons and tabs separate cells, and a line that names them is skipped', async () => {
  assert.deepEqual(await cellsOf('sep=;\na;b\n1,5;2\n', 9, ';'), [
    ['a', 'b'],
    ['1,5', '2'],
  ])
  assert.deepEqual(await cellsOf('a\tb\n1\t"2"\n', 9, '\t'), [
    ['a', 'b'],
    ['1', '2'],
  ])
})

const reasons = async (text: string) =>
  (await recordsOf(text)).map(({ line, fault }) => [line, fault?.reason])

test('a broken record does not affect others', async () => {
  assert.deepEqual(await reasons('a,b\n1,2\n"x"y,2\n3\n3,4,5\n3,4,\n5,6\n'), [
    [1, undefined],
    [2, undefined],
    [3, 'malformed'],
    [4, 'malformed'],
    [5, 'malformed'],
    [6, undefined],
    [7, undefined],
  ])
})

test('an unclosed quote loses its own line only', async () => {
  const rows = Array.from({ length: 3000 }, (_, index) => `${index},x`)
  const text = ['a,b', '1,"x', ...rows].join('\n')
  const records = await recordsOf(`${text}\n`)
  assert.deepEqual(
    records.filter(({ fault }) => fault !== null).map(({ line }) => line),
    [2],
  )
  assert.equal(records.length, 3002)
  assert.deepEqual(await reasons('a,b\n1,"x\n3,4\n'), [
    [1, undefined],
    [2, 'malformed'],
    [3, undefined],
  ])
})

test('a record at the end of a cut file is truncated', async () => {
  for (const cut of ['1,2\n3', '1,2\n3,"4', '1,2\n3,"4\nfour']) {
    assert.deepEqual(await reasons(`a,b\n${cut}`), [
      [1, undefined],
      [2, undefined],
      [3, 'truncated'],
    ])
  }
})
