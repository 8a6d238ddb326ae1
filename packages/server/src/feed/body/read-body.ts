import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { type InTurn, openTurns } from '../../domain/common/slots.ts'
import { gatherPieces, MIN_CHUNK_COST_BYTES } from '../../http/body-pieces.ts'
import type { HeldMemory } from '../../http/held-memory.ts'
import { bodyTooLarge, brokenGzip, type FeedRefusal, queueFull, unknownCoding } from '../refusal.ts'

/** Bytes unpacked before others get a turn on the thread. */
const UNPACKED_PIECE_BYTES = 64 * 1024

/**
 * Bodies that are unpacked and read at once. Unpacking takes one of Node's four pool threads. The others stay free for
 * the store.
 */
const MAX_READ_AT_ONCE = 2

/** Organizations take turns: one that sends many long bodies delays its own. */
export function openReadingTurns(): InTurn {
  return openTurns(MAX_READ_AT_ONCE, MAX_READ_AT_ONCE)
}

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

function codingOf(contentEncoding: string | undefined): string {
  const coding = contentEncoding?.trim().toLowerCase() ?? ''
  if (coding === '') return 'identity'
  return coding === 'x-gzip' ? 'gzip' : coding
}

export const NO_BODY = Buffer.alloc(0)
