import assert from 'node:assert/strict'
import type { Duplex } from 'node:stream'
import { describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { Coding } from '../request/negotiation.ts'
import { compress, compressor } from './compression.ts'

const DECODERS: Record<Coding, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}
const CODINGS = Object.keys(DECODERS) as Coding[]

describe('A compressed body', () => {
  const body = Buffer.from(JSON.stringify(Array.from({ length: 5_000 }, (_, id) => ({ id }))))

  it('may be empty', async () => {
    for (const coding of CODINGS) {
      assert.deepEqual(DECODERS[coding](await compress(Buffer.alloc(0), coding)), Buffer.alloc(0))
    }
  })

  it('takes little memory for a client that does not read', async () => {
    for (const coding of CODINGS) {
      const before = process.memoryUsage.rss()
      const held = await Promise.all(Array.from({ length: 100 }, () => stalled(coding, body)))
      const grown = (process.memoryUsage.rss() - before) / held.length
      for (const each of held) each.destroy()
      assert.ok(grown < 600_000, `${coding}: ${grown} bytes each`)
    }
  })
})

/** Runs a compressor without a reader, as far as it goes. */
async function stalled(coding: Coding, body: Buffer): Promise<Duplex> {
  const stream = compressor(coding) as Duplex
  await new Promise((resolve) => stream.write(body, resolve))
  return stream
}
