import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { LINGER_MS } from '../http/socket-answer.ts'
import type { HeldBody } from './held-bodies.ts'
import {
  bodyTooLarge,
  brokenGzip,
  type FeedRefusal,
  MAX_BODY_BYTES,
  queueFull,
  unknownCoding,
} from './refusal.ts'

/** What is thrown away of a body that nobody wants, before the connection is cut. */
const MAX_DISCARDED_BYTES = 2 * MAX_BODY_BYTES
/** What is thrown away at once; then a piece each so often, or others would wait for it. */
const DISCARDED_AT_ONCE_BYTES = 256 * 1024
const DISCARDED_PIECE_BYTES = 64 * 1024
const DISCARD_EVERY_MS = 50

const EMPTY = Buffer.alloc(0)
const unpack = promisify(gunzip)

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined
}

/** Why a body is refused unread, by what its headers say. */
export function bodyRefusal({ headers }: IncomingMessage): FeedRefusal | undefined {
  const coding = codingOf(headers['content-encoding'])
  if (coding !== 'gzip' && coding !== 'identity') return unknownCoding(coding)
  return Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES ? bodyTooLarge : undefined
}

/** The body, unpacked; `cut` where its sender has gone. `held`: as whose it counts meanwhile. */
export async function readBody(
  message: IncomingMessage,
  held: HeldBody,
): Promise<Buffer | FeedRefusal | 'cut'> {
  const body = await collect(message, held)
  if (!Buffer.isBuffer(body) || body.length === 0) return body
  const isPacked = codingOf(message.headers['content-encoding']) === 'gzip'
  return isPacked ? await unpacked(body) : body
}

/**
 * Reads what is left of a body and throws it away: a connection that was closed before would be
 * reset, and take the answer back before it is read (RFC 9112, 9.6).
 */
export function discardBody(message: IncomingMessage): void {
  let bytes = 0
  let atOnce = DISCARDED_AT_ONCE_BYTES
  let timer: NodeJS.Timeout | undefined
  message.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes < atOnce) return
    atOnce = bytes + DISCARDED_PIECE_BYTES
    message.pause()
    timer =
      bytes <= MAX_DISCARDED_BYTES
        ? setTimeout(() => message.resume(), DISCARD_EVERY_MS)
        : // Its sender can go no further then, and may find the answer while it waits.
          setTimeout(() => message.destroy(), LINGER_MS)
  })
  message.once('close', () => clearTimeout(timer))
}

function codingOf(contentEncoding: string | undefined): string {
  const coding = contentEncoding?.trim().toLowerCase() ?? ''
  if (coding === '') return 'identity'
  return coding === 'x-gzip' ? 'gzip' : coding
}

function collect(message: IncomingMessage, held: HeldBody): Promise<Buffer | FeedRefusal | 'cut'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    function onData(chunk: Buffer): void {
      bytes += chunk.length
      const isTooLarge = bytes > MAX_BODY_BYTES
      if (!isTooLarge && held.hold(chunk.length)) {
        chunks.push(chunk)
        return
      }
      message.off('data', onData)
      chunks.length = 0
      resolve(isTooLarge ? bodyTooLarge : queueFull)
    }
    message.on('data', onData)
    message.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    message.once('error', () => resolve('cut'))
    message.once('close', () => resolve('cut'))
  })
}

async function unpacked(body: Buffer): Promise<Buffer | FeedRefusal> {
  try {
    // The limit stops the unpacking where it is reached, whatever the rest would have become.
    return await unpack(body, { maxOutputLength: MAX_BODY_BYTES })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? bodyTooLarge
      : brokenGzip
  }
}

export const NO_BODY = EMPTY
