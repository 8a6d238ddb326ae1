import type { IncomingMessage } from 'node:http'
import { countShares } from '../domain/common/slots.ts'
import { LINGER_MS } from './socket-answer.ts'

/** Chunks of this length stay as they are. */
const LONG_BYTES = 16 * 1024

/** A chunk costs the time of at least this many bytes, however short it is. */
export const MIN_CHUNK_COST_BYTES = 64

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

/** Bytes of an unwanted body that are thrown away before the connection is cut. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024

/** Bytes thrown away at once. Then one piece at an interval, so that others do not wait. */
const DISCARDED_AT_ONCE_BYTES = 256 * 1024

const DISCARDED_PIECE_BYTES = 64 * 1024

const DISCARD_EVERY_MS = 50

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
export function openHeldMemory(): HoldMemory {
  const shares = countShares<number>()

  return (organization) => {
    let own = 0

    function add(bytes: number): void {
      own += bytes
      shares.add(organization, bytes)
    }

    return {
      hold(bytes) {
        const ofOne = shares.of(organization) + bytes
        if (ofOne > MAX_HELD_BY_ONE || shares.sum + bytes > MAX_HELD_BYTES) return false
        add(bytes)
        return true
      },
      release: (bytes) => add(-bytes),
      [Symbol.dispose]: () => add(-own),
    }
  }
}
