import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readLines } from '../import/formats/lines.ts'
import { SourceUnreadable } from '../import/row.ts'
import { openUpload } from './upload.ts'

const NEVER = new AbortController().signal

test('a file of short rows is read in portions, and other requests run between them', async () => {
  const file = Buffer.from('{}\n'.repeat(100_000))
  for (const [name, body] of [
    ['a.ndjson', file],
    ['a.ndjson.gz', gzipSync(file)],
  ] as const) {
    let turns = 0
    let next = setImmediate(function count() {
      turns += 1
      next = setImmediate(count)
    })
    const portions: number[] = []
    for await (const lines of readLines(openUpload(name, body, NEVER).bytes))
      portions.push(lines.length)
    clearImmediate(next)
    const most = Math.max(...portions)
    assert.equal(
      portions.reduce((sum, each) => sum + each),
      100_000,
    )
    assert.ok(most <= 10_000, `${most} rows at once of ${name}`)
    assert.ok(turns >= portions.length - 1, `${turns} turns for ${portions.length} portions`)
  }
})

test('a file that unpacks to more bytes than allowed is cut off', async () => {
  const bomb = gzipSync(Buffer.alloc(1_000_000, ' '))
  const { bytes } = openUpload('a.geojson.gz', bomb, NEVER, 100_000)
  const message =
    "'a.geojson.gz' is larger than 100000 bytes when it is unpacked; import it from the command line"
  await assert.rejects(Array.fromAsync(bytes), { constructor: SourceUnreadable, message })
  const { bytes: whole } = openUpload(
    'a.csv.gz',
    gzipSync(Buffer.alloc(100_000, ' ')),
    NEVER,
    100_000,
  )
  assert.equal(
    (await Array.fromAsync(whole)).reduce((sum, { length }) => sum + length, 0),
    100_000,
  )
})
