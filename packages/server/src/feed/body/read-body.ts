import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { costOf, gatherPieces, MIN_CHUNK_COST_BYTES } from '../../http/body-pieces.ts'
import type { HeldMemory } from '../../http/held-memory.ts'
import { LINGER_MS } from '../../http/socket-answer.ts'
import {
  bodyTooLarge,
  brokenGzip,
  type FeedRefusal,
  MAX_BODY_BYTES,
  queueFull,
  unknownCoding,
} from '../refusal.ts'

/** Bytes of an unwanted body that are thrown away before the connection is cut. */
const MAX_DISCARDED_BYTES = 2 * MAX_BODY_BYTES
/** Bytes thrown away at once. Then one piece at an interval, so that others do not wait. */
const DISCARDED_AT_ONCE_BYTES = 256 * 1024
const DISCARDED_PIECE_BYTES = 64 * 1024
const DISCARD_EVERY_MS = 50

/** Bytes unpacked before others get a turn on the thread. */
const UNPACKED_PIECE_BYTES = 64 * 1024

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined
}

/** Why a body is refused by its headers, without reading it. */
export function bodyRefusal(
  { headers }: IncomingMessage,
  maxBytes: number,
): FeedRefusal | undefined {
  const coding = codingOf(headers['content-encoding'])
  if (coding !== 'gzip' && coding !== 'identity') return unknownCoding(coding)
  return Number(headers['content-length'] ?? 0) > maxBytes ? bodyTooLarge(maxBytes) : undefined
}

/**
 * The body as sent, or `cut` if the sender has gone. Its bytes are counted as they come. It is too large with more
 * than `maxBytes`, or in more chunks than these bytes are worth, because each chunk costs time.
 */
export function receiveBody(
  message: IncomingMessage,
  maxBytes: number,
  held: HeldMemory,
): Promise<Buffer | FeedRefusal | 'cut'> {
  return new Promise((resolve) => {
    const pieces = gatherPieces()
    const maxChunks = maxBytes / MIN_CHUNK_COST_BYTES
    let bytes = 0
    let chunks = 0
    function onData(chunk: Buffer): void {
      bytes += chunk.length
      chunks += 1
      const isTooLarge = bytes > maxBytes || chunks > maxChunks
      if (!isTooLarge && held.hold(chunk.length)) {
        pieces.add(chunk)
        return
      }
      message.off('data', onData)
      pieces.clear()
      resolve(isTooLarge ? bodyTooLarge(maxBytes) : queueFull)
    }
    message.on('data', onData)
    message.once('end', () => resolve(pieces.join()))
    message.once('error', () => resolve('cut'))
    message.once('close', () => resolve('cut'))
  })
}

export function isPacked({ headers }: IncomingMessage): boolean {
  return codingOf(headers['content-encoding']) === 'gzip'
}

/** Unpacks gzip. The unpacked bytes are counted in place of the packed ones. */
export async function unpackBody(
  packed: Buffer,
  maxBytes: number,
  held: HeldMemory,
): Promise<Buffer | FeedRefusal> {
  const chunks: Buffer[] = []
  let bytes = 0
  const gunzip = createGunzip({ chunkSize: UNPACKED_PIECE_BYTES })
  gunzip.end(packed)
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) return bodyTooLarge(maxBytes)
      if (!held.hold(chunk.length)) return queueFull
      chunks.push(chunk)
    }
  } catch {
    return brokenGzip
  }
  held.release(packed.length)
  return Buffer.concat(chunks, bytes)
}

/**
 * Reads the rest of a body and throws it away. Closing the connection earlier would reset it, and the
 * client might lose the answer (RFC 9112, 9.6).
 */
export function discardBody(message: IncomingMessage): void {
  let bytes = 0
  let atOnce = DISCARDED_AT_ONCE_BYTES
  let timer: NodeJS.Timeout | undefined
  message.on('data', (chunk: Buffer) => {
    bytes += costOf(chunk)
    if (bytes < atOnce) return
    atOnce = bytes + DISCARDED_PIECE_BYTES
    message.pause()
    timer =
      bytes <= MAX_DISCARDED_BYTES
        ? setTimeout(() => message.resume(), DISCARD_EVERY_MS)
        : // The sender cannot go on now, and may read the answer while it waits.
          setTimeout(() => message.destroy(), LINGER_MS)
  })
  message.once('close', () => clearTimeout(timer))
}

function codingOf(contentEncoding: string | undefined): string {
  const coding = contentEncoding?.trim().toLowerCase() ?? ''
  if (coding === '') return 'identity'
  return coding === 'x-gzip' ? 'gzip' : coding
}

export const NO_BODY = Buffer.alloc(0)
