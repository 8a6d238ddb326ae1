import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib'
import type { Coding } from '../request/negotiation.ts'

/** A shorter body fits into one packet with its headers and would gain nothing. */
export const COMPRESS_FROM_BYTES = 1_400

/**
 * Brotli's default quality of 11 is for files that are compressed once. Its default window of 4 MiB takes
 * 15 MB for each body in progress. This one takes 3 MB and half the time, and lists get no larger.
 */
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
}

/**
 * A stream holds its compressor for as long as its client reads, so each must be small. Rows resemble the
 * ones just before them, so small windows compress as well, and faster.
 */
const STREAMED = { highWaterMark: 16 * 1024, chunkSize: 8 * 1024 }
const STREAMED_GZIP = { ...STREAMED, windowBits: 12, memLevel: 5 }
const STREAMED_BROTLI = {
  ...STREAMED,
  // The coding whose compressor takes the most memory, three times the others.
  highWaterMark: 8 * 1024,
  params: { [constants.BROTLI_PARAM_QUALITY]: 2, [constants.BROTLI_PARAM_LGWIN]: 12 },
}
const STREAMED_ZSTD = {
  ...STREAMED,
  params: {
    [constants.ZSTD_c_windowLog]: 13,
    [constants.ZSTD_c_hashLog]: 11,
    [constants.ZSTD_c_chainLog]: 11,
  },
}

const whole: Record<Coding, (body: Buffer) => Promise<Buffer>> = {
  gzip: promisify<Buffer, Buffer>(gzip),
  br: (body) => promisify(brotliCompress)(body, BROTLI),
  zstd: promisify<Buffer, Buffer>(zstdCompress),
}

/** Compressions in progress by body: requests for the same body share one. */
const underWay: Record<Coding, WeakMap<Buffer, Promise<Buffer>>> = {
  gzip: new WeakMap(),
  br: new WeakMap(),
  zstd: new WeakMap(),
}

export function compress(body: Buffer, coding: Coding): Promise<Buffer> {
  const begun = underWay[coding].get(body)
  if (begun !== undefined) return begun
  const compressed = whole[coding](body).finally(() => underWay[coding].delete(body))
  underWay[coding].set(body, compressed)
  return compressed
}

/** For a stream of rows. */
export function compressor(coding: Coding): Transform {
  switch (coding) {
    case 'gzip':
      return createGzip(STREAMED_GZIP)
    case 'br':
      return createBrotliCompress(STREAMED_BROTLI)
    case 'zstd':
      return createZstdCompress(STREAMED_ZSTD)
  }
}
