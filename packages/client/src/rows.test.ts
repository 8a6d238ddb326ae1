import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ConnectionError, UnexpectedAnswerError } from './errors.ts'
import { readRows } from './rows.ts'

const row = fc.record({
  id: fc.nat(),
  name: fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('},{', ']}', '"', '\\', '\\"}', '{'),
  ),
  latitude: fc.double({ noNaN: true, noDefaultInfinity: true }),
  address: fc.option(fc.string({ unit: 'grapheme' })),
})

function answerOf(rows: unknown[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ statusCode: 200, result: rows }))
}

/** The bytes in pieces of these lengths, repeated. */
async function* pieces(bytes: Uint8Array, lengths: number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = lengths[i % lengths.length]!
    yield bytes.subarray(at, at + length)
    at += length
  }
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const rows of readRows(body)) all.push(...rows)
  return all
}

const lengths = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 })

describe('Rows read from a stream', () => {
  it('equal those of the answer, wherever it is split', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row), lengths, async (rows, cuts) => {
        const bytes = answerOf(rows)
        assert.deepEqual(await readAll(pieces(bytes, cuts)), JSON.parse(JSON.stringify(rows)))
      }),
    )
  })

  it('are recognized as incomplete if the answer ends at any earlier byte', async () => {
    const bytes = answerOf([
      { id: 1, name: '},{' },
      { id: 2, name: 'ü' },
    ])
    for (let length = 0; length < bytes.length; length++) {
      await assert.rejects(
        readAll(pieces(bytes.subarray(0, length), [7])),
        ConnectionError,
        `${length}`,
      )
    }
  })

  it('precede the error of an incomplete answer', async () => {
    const bytes = answerOf([{ id: 1 }, { id: 2 }]).subarray(0, -2)
    const read: unknown[] = []
    await assert.rejects(async () => {
      for await (const rows of readRows(pieces(bytes, [5]))) read.push(...rows)
    }, ConnectionError)
    assert.deepEqual(read, [{ id: 1 }, { id: 2 }])
  })

  it('do not come from another kind of answer', async () => {
    const page = new TextEncoder().encode('<!doctype html><title>A proxy’s own page</title>')
    const json = new TextEncoder().encode(JSON.stringify({ page: 'x'.repeat(300), result: [] }))
    for (const body of [page, json]) {
      await assert.rejects(readAll(pieces(body, [100])), UnexpectedAnswerError)
    }
  })

  it('are read without buffering a row that never ends', async () => {
    const encoder = new TextEncoder()
    for (const endless of ['x', ' ']) {
      let sent = 0
      async function* flood(): AsyncGenerator<Uint8Array> {
        yield encoder.encode(`{"statusCode":200,"result":[${endless === 'x' ? '{"name":"' : ''}`)
        for (; sent < 100; sent += 1) yield encoder.encode(endless.repeat(65_536))
      }
      await assert.rejects(readAll(flood()), UnexpectedAnswerError)
      assert.ok(sent < 50, `${sent} pieces were read`)
    }
  })

  it('are those of an answer that a proxy has reformatted', async () => {
    const rows = [{ id: 1, name: ']' }, { id: 2 }]
    const text = JSON.stringify({ statusCode: 200, result: rows }, null, 2)
    const bytes = new TextEncoder().encode(`${text}\n`)
    assert.deepEqual(await readAll(pieces(bytes, [3])), rows)
  })
})
