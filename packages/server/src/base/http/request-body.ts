import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { countShares, type InTurn, openTurns } from '../domain/common/slots.ts'
import { LINGER_MS } from './socket-answer.ts'

/** Chunks of this length stay as they are. */
const LONG_BYTES = 16 * 1024

/** A chunk costs the time of at least this many bytes, however short it is. */
const MIN_CHUNK_COST_BYTES = 64

/** The bytes that a chunk counts towards limits: a sender can make every byte a chunk of its own. */
function costOf(chunk: Buffer): number {
  return Math.max(chunk.length, MIN_CHUNK_COST_BYTES)
}

/** A body as it comes. It takes at most twice as much memory as it has bytes. */
type BodyPieces = {
  add(chunk: Buffer): void
  clear(): void
  /** The whole body. */
  join(): Buffer
}

/**
 * Copies short chunks together: each is an object of some 300 bytes, and a client can send every byte as a chunk
 * of its own.
 */
export function gatherPieces(): BodyPieces {
  let pieces: Buffer[] = []
  let bytes = 0
  /** The buffer for short chunks, and how much of it is filled. */
  let open: Buffer = EMPTY
  let filled = 0

  function close(): void {
    if (filled > 0) pieces.push(open.subarray(0, filled))
    open = EMPTY
    filled = 0
  }

  return {
    add(chunk) {
      bytes += chunk.length
      // Most bodies are one chunk.
      if (bytes === chunk.length || chunk.length >= LONG_BYTES) {
        close()
        pieces.push(chunk)
        return
      }
      if (chunk.length > open.length - filled) {
        close()
        open = Buffer.allocUnsafeSlow(Math.max(chunk.length, Math.min(bytes, LONG_BYTES)))
      }
      filled += chunk.copy(open, filled)
    },
    clear() {
      pieces = []
      open = EMPTY
      bytes = 0
      filled = 0
    },
    join() {
      close()
      return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, bytes)
    },
  }
}

const EMPTY = Buffer.alloc(0)

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined
}

/** The coding of a body in lower case, `gzip` and `identity` by these names. */
function codingOf({ headers }: IncomingMessage): string {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (coding === '') return 'identity'
  return coding === 'x-gzip' ? 'gzip' : coding
}

/** Why there is no whole body. `memory`: too much is held already. `cut`: the sender has gone. */
type BodyFault = 'too large' | 'memory' | 'cut' | 'too slow' | 'broken gzip' | 'unknown coding'

export type UntakenBody = { fault: BodyFault; coding: string }

/** A body as it was sent. */
export type TakenBody = {
  readonly sent: Buffer
  readonly isPacked: boolean
  unpack(): Promise<Buffer | UntakenBody>
}

/**
 * Takes a body, which may be gzipped, of at most `maxBytes`, packed and unpacked. Calls `proceed` before it reads,
 * unless the headers are enough to refuse it. A request without a body has an empty one.
 */
export async function takeBody(
  message: IncomingMessage,
  maxBytes: number,
  held: HeldMemory,
  proceed: () => void,
): Promise<TakenBody | UntakenBody> {
  const coding = codingOf(message)
  const isPacked = coding === 'gzip'
  const not = (fault: BodyFault): UntakenBody => ({ fault, coding })

  function taken(sent: Buffer): TakenBody {
    return {
      sent,
      isPacked,
      async unpack() {
        const body = await unpackBody(sent, maxBytes, held)
        return Buffer.isBuffer(body) ? body : not(body)
      },
    }
  }

  if (!hasBody(message)) return taken(EMPTY)
  // The sender may have gone before, and that is reported only once.
  if (message.destroyed) return not('cut')
  if (!isPacked && coding !== 'identity') return not('unknown coding')
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) return not('too large')
  proceed()
  const sent = await receiveBody(message, maxBytes, held)
  return Buffer.isBuffer(sent) ? taken(sent) : not(sent)
}

/** The pace of a body is measured over this time. */
export const PACED_MS = 10_000

/**
 * The body as sent. Its bytes are counted as they come. It is too large with more than `maxBytes`, or in more chunks than
 * these bytes are worth, because each chunk costs time. It is too slow with fewer than `minBytes` in `PACED_MS`.
 */
export function receiveBody(
  message: IncomingMessage,
  maxBytes: number,
  held: HeldMemory,
  minBytes = 0,
): Promise<Buffer | BodyFault> {
  const { promise, resolve } = Promise.withResolvers<Buffer | BodyFault>()
  const pieces = gatherPieces()
  const maxChunks = maxBytes / MIN_CHUNK_COST_BYTES
  let bytes = 0
  let chunks = 0
  let paced = 0

  function refuse(fault: BodyFault): void {
    message.off('data', onData)
    pieces.clear()
    resolve(fault)
  }

  function onData(chunk: Buffer): void {
    bytes += chunk.length
    chunks += 1
    if (bytes > maxBytes || chunks > maxChunks) refuse('too large')
    else if (!held.hold(chunk.length)) refuse('memory')
    else pieces.add(chunk)
  }

  function checkPace(): void {
    if (bytes - paced < minBytes) refuse('too slow')
    paced = bytes
  }

  message.on('data', onData)
  message.once('end', () => resolve(pieces.join()))
  message.once('error', () => resolve('cut'))
  message.once('close', () => resolve('cut'))
  if (minBytes === 0) return promise
  const timer = setInterval(checkPace, PACED_MS)
  return promise.finally(() => clearInterval(timer))
}

/** Bytes unpacked before others get a turn on the thread. */
const UNPACKED_PIECE_BYTES = 64 * 1024

/** Unpacks gzip. The unpacked bytes are counted in place of the packed ones. */
async function unpackBody(
  packed: Buffer,
  maxBytes: number,
  held: HeldMemory,
): Promise<Buffer | BodyFault> {
  const chunks: Buffer[] = []
  let bytes = 0
  const gunzip = createGunzip({ chunkSize: UNPACKED_PIECE_BYTES })
  gunzip.end(packed)
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) return 'too large'
      if (!held.hold(chunk.length)) return 'memory'
      chunks.push(chunk)
    }
  } catch {
    return 'broken gzip'
  }
  held.release(packed.length)
  return Buffer.concat(chunks, bytes)
}

/**
 * Bodies that are unpacked and read at once. Unpacking takes one of Node's four pool threads. The others stay free for
 * the store.
 */
const MAX_READ_AT_ONCE = 2

/** Organizations take turns: one that sends many long bodies delays its own. */
export function openReadingTurns(): InTurn {
  return openTurns(MAX_READ_AT_ONCE, MAX_READ_AT_ONCE)
}

/** Bytes of an unwanted body that are thrown away before the connection is cut. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024

/** Bytes thrown away at once. Then one piece at an interval, so that others do not wait. */
const DISCARDED_AT_ONCE_BYTES = 256 * 1024

const DISCARDED_PIECE_BYTES = 64 * 1024

const DISCARD_EVERY_MS = 50

/**
 * Reads the rest of a body, if there is one, and throws it away. Closing the connection earlier would reset it, and the
 * client might lose the answer (RFC 9112, 9.6).
 */
export function discardBody(message: IncomingMessage): void {
  if (message.readableEnded || !hasBody(message)) return
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
        : // The sender cannot continue now, and may read the answer while it waits.
          setTimeout(() => message.destroy(), LINGER_MS)
  })
  message.once('close', () => clearTimeout(timer))
}

/** For all requests of a listener together. A heap of 128 MB has room for this and the server. */
export const MAX_HELD_BYTES = 64 * 1024 * 1024

/** For one organization, so that it cannot keep others out. Any single request fits. */
export const MAX_HELD_BY_ONE = MAX_HELD_BYTES / 4

/** The memory of one request, until its answer has left. */
export type HeldMemory = Disposable & {
  /** Takes this many more bytes and returns true, or takes none and returns false. */
  hold(bytes: number): boolean
  release(bytes: number): void
}

/** Opens the account of a request of an organization. */
export type HoldMemory = (organization: number) => HeldMemory

/** Counts all memory that a listener holds for requests: bodies as they came, unpacked bodies, and their rows. */
export function openHeldMemory(inAll = MAX_HELD_BYTES, ofOne = MAX_HELD_BY_ONE): HoldMemory {
  const shares = countShares<number>()

  return (organization) => {
    let own = 0

    function add(bytes: number): void {
      own += bytes
      shares.add(organization, bytes)
    }

    return {
      hold(bytes) {
        if (shares.of(organization) + bytes > ofOne || shares.sum + bytes > inAll) return false
        add(bytes)
        return true
      },
      release: (bytes) => add(-bytes),
      [Symbol.dispose]: () => add(-own),
    }
  }
}
