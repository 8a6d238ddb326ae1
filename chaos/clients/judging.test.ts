import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { faultOf } from './healthy-answer.ts'
import { beginningOf, CODINGS, type ReadCoding } from './history-reader.ts'
import { isPrefix } from './slow-readers.ts'

const ENCODE: Record<ReadCoding, (text: string) => Buffer> = {
  identity: (text) => Buffer.from(text),
  gzip: (text) => gzipSync(text),
  br: (text) => brotliCompressSync(text),
  zstd: (text) => zstdCompressSync(text),
}

describe('A healthy answer', () => {
  const text = (result: unknown) => JSON.stringify({ statusCode: 200, result })

  it('is about the requested object, alone or in a list', () => {
    assert.equal(faultOf(200, text({ id: 7 }), 7), undefined)
    assert.equal(faultOf(200, text([{ id: 7 }]), 7), undefined)
  })

  it('fails if it is refused, broken, empty, or about another object', () => {
    assert.match(faultOf(429, '{}', 7)!, /^429/)
    assert.match(faultOf(200, '{"statusCode":200,"res', 7)!, /^no JSON/)
    for (const result of [undefined, null, [], { id: 8 }, [{ id: 7 }, { id: 8 }]]) {
      assert.match(faultOf(200, text(result), 7)!, /^not object 7/)
    }
  })
})

describe('The beginning of an answer', () => {
  const body = JSON.stringify(Array.from({ length: 5_000 }, (_, id) => ({ id, at: id * 17 })))

  function answered(coding: ReadCoding): Buffer {
    const coded = ENCODE[coding](body)
    const chunks = Array.from({ length: Math.ceil(coded.length / 999) }, (_, i) => {
      const data = coded.subarray(i * 999, (i + 1) * 999)
      return Buffer.concat([
        Buffer.from(`${data.length.toString(16)}\r\n`),
        data,
        Buffer.from('\r\n'),
      ])
    })
    return Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nA: b\r\n\r\n'), ...chunks])
  }

  it('is recognized at every length, in every coding', () => {
    for (const coding of CODINGS) {
      const whole = answered(coding)
      for (const part of [0.3, 0.5, 0.77, 1]) {
        const { status, text } = beginningOf(whole.subarray(0, whole.length * part), coding)
        assert.equal(status, 200)
        assert.ok(isPrefix(text, body), `${coding}, ${part}`)
        if (part === 1) assert.equal(text.length, body.length)
      }
    }
  })

  it('is rejected with one wrong byte', () => {
    assert.equal(isPrefix(body.slice(0, 500).replace('17', '18'), body), false)
  })
})
