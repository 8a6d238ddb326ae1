import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { addAbortSignal, pipeline, type Readable } from 'node:stream'
import { constants, createGunzip } from 'node:zlib'
import { SourceUnreadable } from './misuse.ts'

/** The source of rows: a file, or the standard input. */
export type Source = {
  /** The path, or `-`. */
  name: string
  /** Bytes on the disk. Null if unknown. */
  size: number | null
  /** The unpacked bytes. Reading them may throw `SourceUnreadable`. */
  bytes: AsyncIterable<Uint8Array>
  /** Bytes of `size` read so far. */
  bytesRead(): number
}

const CHUNK_BYTES = 64 * 1024

/**
 * Opens `path`, which may be gzipped, or the standard input for `-`. Aborting the signal ends the bytes
 * with an AbortError. Throws `SourceUnreadable`.
 */
export async function openSource(path: string, signal: AbortSignal): Promise<Source> {
  if (path === '-') return sourceOf(path, null, process.stdin, signal)
  const found = await stat(path).catch((error) => {
    throw unreadable(path, error)
  })
  if (found.isDirectory()) throw new SourceUnreadable(`cannot read '${path}': it is a folder`)
  const stream = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  return sourceOf(path, found.isFile() ? found.size : null, stream, signal)
}

/** A source over any stream of bytes. */
export function sourceOf(
  name: string,
  size: number | null,
  stream: Readable,
  signal: AbortSignal,
): Source {
  addAbortSignal(signal, stream)
  let read = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream) {
      read += chunk.length
      yield chunk
    }
  }
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      yield* name.endsWith('.gz') ? unpacked(counted()) : counted()
    } catch (error) {
      throw signal.aborted ? error : unreadable(name, error as Error)
    }
  }
  return { name, size, bytes: bytes(), bytesRead: () => read }
}

function unpacked(bytes: AsyncIterable<Uint8Array>): Readable {
  // With this flush, a truncated file gives what it holds instead of an error.
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES, finishFlush: constants.Z_SYNC_FLUSH })
  return pipeline(bytes, gunzip, () => {
    // Pass the error on to the reader.
  })
}

function unreadable(name: string, error: NodeJS.ErrnoException): SourceUnreadable {
  const known: Record<string, string> = {
    ENOENT: 'there is no such file',
    EACCES: 'there is no permission to',
    Z_DATA_ERROR: 'it is not gzip, or damaged',
  }
  return new SourceUnreadable(`cannot read '${name}': ${known[error.code ?? ''] ?? error.message}`)
}
