import { once } from 'node:events'
import { constants, createGunzip, createInflateRaw } from 'node:zlib'

const CHUNK_BYTES = 64 * 1024

/**
 * Unpacks gzip, or the raw form of ZIP files. Reads all that a piece unpacks to before the next piece: an error at the
 * end of a truncated file would drop what was not read. Bytes after the end of the packed ones are ignored.
 */
export async function* unpacked(
  bytes: AsyncIterable<Uint8Array>,
  form: 'gzip' | 'raw',
): AsyncGenerator<Uint8Array> {
  const unpack = (form === 'gzip' ? createGunzip : createInflateRaw)({ chunkSize: CHUNK_BYTES })
  let pieces: Uint8Array[] = []
  let hasEnded = false
  unpack.on('data', (piece: Uint8Array) => pieces.push(piece))
  const ended = once(unpack, 'end').then(() => {
    hasEnded = true
  })
  ended.catch(() => {})
  const done = (work: (then: () => void) => void) =>
    Promise.race([new Promise<void>((resolve) => work(resolve)), ended])
  try {
    for await (const chunk of bytes) {
      await done((then) => unpack.write(chunk, then))
      yield* pieces
      pieces = []
      if (hasEnded) return
    }
    await done((then) => unpack.flush(constants.Z_FINISH, then))
    yield* pieces
  } finally {
    unpack.destroy()
  }
}
