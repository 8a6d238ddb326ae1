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
import Negotiator from 'negotiator'

/** Content codings, the one that costs least for what it saves first. */
const CODINGS = ['zstd', 'br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** A shorter body fits into one packet with its headers, and would gain nothing. */
export const COMPRESS_FROM_BYTES = 1_400

/** Brotli's default of 11 is for files that are compressed once. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

const whole: Record<Coding, (body: Buffer) => Promise<Buffer>> = {
  gzip: promisify<Buffer, Buffer>(gzip),
  br: (body) => promisify(brotliCompress)(body, BROTLI),
  zstd: promisify<Buffer, Buffer>(zstdCompress),
}

export function compress(body: Buffer, coding: Coding): Promise<Buffer> {
  return whole[coding](body)
}

export function compressor(coding: Coding): NodeJS.ReadWriteStream {
  switch (coding) {
    case 'gzip':
      return createGzip()
    case 'br':
      return createBrotliCompress(BROTLI)
    case 'zstd':
      return createZstdCompress()
  }
}

/** As negotiator 1.1 has it; its published types are behind. */
const ranked = Negotiator.prototype.encodings as (
  available: string[],
  options: { preferred: readonly string[] },
) => string[]

/** Clients send one of a few headers, over and over. */
const known = new Map<string, Coding | undefined>()
const MOST_KNOWN = 1_000

/** The coding that an `Accept-Encoding` header prefers (RFC 9110, 12.5.3); undefined for none. */
export function preferredCoding(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined) return undefined
  if (known.has(acceptEncoding)) return known.get(acceptEncoding)
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  const best = ranked.call(negotiator, [...CODINGS, 'identity'], { preferred: CODINGS })[0]
  const coding = CODINGS.find((candidate) => candidate === best)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(acceptEncoding, coding)
  return coding
}
