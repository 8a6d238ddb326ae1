import assert from 'node:assert/strict'
import { type Duplex, Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { type Coding, compress, compressor, preferredCoding } from './compression.ts'

const DECODERS: Record<Coding, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}
const CODINGS = Object.keys(DECODERS) as Coding[]

const PREFERENCES: [header: string | undefined, coding: Coding | undefined][] = [
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate', undefined],
  ['x-gzip', undefined],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br', 'br'],
  ['zstd', 'zstd'],
  // As browsers and curl send it.
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['deflate, gzip', 'gzip'],
  // A client that names none may not know the newer ones.
  ['*', 'gzip'],
  ['*;q=0.5', 'gzip'],
  ['identity, *', 'gzip'],
  ['br, *', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['br;q=0.5, gzip;q=0.8, zstd;q=0.1', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip;q=0.000', undefined],
  ['gzip;q=0, *', undefined],
  ['zstd;q=0, br;q=0, *', 'gzip'],
  ['*;q=0', undefined],
  ['gzip, *;q=0', 'gzip'],
  ['identity;q=0, gzip', 'gzip'],
  ['identity, gzip;q=0.5', undefined],
  [', ,gzip,', 'gzip'],
  ['gzip;q=x', undefined],
]

describe('The preferred coding', () => {
  it('is what Accept-Encoding says, also when it is asked again', () => {
    for (let round = 0; round < 2; round++) {
      for (const [header, coding] of PREFERENCES) {
        assert.equal(preferredCoding(header), coding, JSON.stringify(header))
      }
    }
  })

  it('does not remember headers without end', () => {
    for (let i = 0; i < 3_000; i++) assert.equal(preferredCoding(`gzip, x-${i}`), 'gzip')
    assert.equal(preferredCoding('gzip, deflate, br'), 'br')
  })

  it('does not remember long headers', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    collect()
    const before = process.memoryUsage().heapUsed
    const long = 'x'.repeat(30_000)
    // Made of bytes, as Node makes it: a text that was put together shares its parts.
    const header = (i: number) => Buffer.from(`gzip, ${long}${i}`).toString()
    for (let i = 0; i < 500; i++) assert.equal(preferredCoding(header(i)), 'gzip')
    collect()
    const taken = process.memoryUsage().heapUsed - before
    assert.ok(taken < 2_000_000, `${taken} bytes`)
  })
})

describe('A compressed body', () => {
  const body = Buffer.from(JSON.stringify(Array.from({ length: 5_000 }, (_, id) => ({ id }))))

  it('is the body again once it is decoded', async () => {
    for (const coding of CODINGS) {
      const coded = await compress(body, coding)
      assert.ok(coded.length < body.length / 2, coding)
      assert.deepEqual(DECODERS[coding](coded), body)
      assert.deepEqual(DECODERS[coding](await compress(Buffer.alloc(0), coding)), Buffer.alloc(0))
    }
  })

  it('may be a stream', async () => {
    for (const coding of CODINGS) {
      const parts = [body.subarray(0, 7), body.subarray(7, 9_000), body.subarray(9_000)]
      const coded = Readable.from(parts).pipe(compressor(coding))
      const chunks = (await Array.fromAsync(coded)) as Buffer[]
      assert.deepEqual(DECODERS[coding](Buffer.concat(chunks)), body)
    }
  })

  it('holds little for a client that does not read on', async () => {
    for (const coding of CODINGS) {
      const before = process.memoryUsage.rss()
      const held = await Promise.all(Array.from({ length: 100 }, () => stalled(coding, body)))
      const grown = (process.memoryUsage.rss() - before) / held.length
      for (const each of held) each.destroy()
      assert.ok(grown < 600_000, `${coding}: ${grown} bytes each`)
    }
  })
})

/** A compressor whose output nobody takes, as far as it goes with that. */
async function stalled(coding: Coding, body: Buffer): Promise<Duplex> {
  const stream = compressor(coding) as Duplex
  await new Promise((resolve) => stream.write(body, resolve))
  return stream
}
