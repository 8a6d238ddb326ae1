import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { type InTurn, openTurns } from '../domain/common/slots.ts'
import { gatherPieces, type HeldMemory, MIN_CHUNK_COST_BYTES } from '../http/request-body.ts'
import type { Format } from './formats/format.ts'
import { native } from './formats/native.ts'
import { osmand } from './formats/osmand.ts'
import { owntracks } from './formats/owntracks.ts'
import { traccar } from './formats/traccar.ts'
import {
  bodyTooLarge,
  brokenGzip,
  type FeedRefusal,
  methodNotAllowed,
  pathNotFound,
  queueFull,
  unknownCoding,
} from './refusal.ts'

type FeedRoute = {
  format: Format
  /** The token, if the path holds one. Neither the token nor the path may be logged. */
  token: string | undefined
  /** The raw query, without `?`. */
  query: string
}

const FORMATS: readonly Format[] = [native, osmand, traccar, owntracks]

const NO_SUCH_PATH = pathNotFound(FORMATS.map(({ name }) => name))

const PREFIX = '/feed/v1/'

const ORIGIN = /^https?:\/\/[^/?#]*/i

/**
 * Routes `/feed/v1/FORMAT`, and `/feed/v1/TOKEN/FORMAT` for clients that can only set a URL. Some of them
 * add a slash.
 */
export function findRoute(method: string, target: string): FeedRoute | FeedRefusal {
  const local = target.startsWith('/') ? target : target.replace(ORIGIN, '')
  const mark = local.indexOf('?')
  const path = mark === -1 ? local : local.slice(0, mark)
  if (!path.startsWith(PREFIX)) return NO_SUCH_PATH
  const parts = path.slice(PREFIX.length, path.endsWith('/') ? -1 : undefined).split('/')
  const format = parts.length > 2 ? undefined : FORMATS.find(({ name }) => name === parts.at(-1))
  if (format === undefined) return NO_SUCH_PATH
  if (!format.methods.includes(method)) return methodNotAllowed(format.methods.join(', '))
  const query = mark === -1 ? '' : local.slice(mark + 1)
  return { format, token: parts.length === 2 ? parts[0] : undefined, query }
}

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
