/** Chunks of this length stay as they are. */
const LONG_BYTES = 16 * 1024

/** A chunk costs the time of at least this many bytes, however short it is. */
export const MIN_CHUNK_COST_BYTES = 64

/** The bytes that a chunk counts towards limits: a sender can make every byte a chunk of its own. */
export function costOf(chunk: Buffer): number {
  return Math.max(chunk.length, MIN_CHUNK_COST_BYTES)
}

/** A body as it comes. It takes at most twice as much memory as it has bytes. */
export type BodyPieces = {
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
