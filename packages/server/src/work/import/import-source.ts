import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { addAbortSignal, type Readable } from 'node:stream'
import { constants, createGunzip, createInflateRaw } from 'node:zlib'
import { SourceCut, SourceUnreadable } from './row.ts'

/** The source of rows: a file, or the standard input. */
export type Source = {
  /** The path, or `-`. */
  name: string
  /** Bytes on the disk. Null if unknown. */
  size: number | null
  /** The unpacked bytes. UTF-16 that shows itself comes as UTF-8. Reading may throw `SourceUnreadable`. */
  bytes: AsyncIterable<Uint8Array>
  /** Bytes of `size` read so far. */
  bytesRead(): number
  /** The encoding that the bytes were decoded from, after the first of them. Null: they come as they are. */
  decodedFrom(): string | null
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

/** The bytes in chunks of this size. */
export async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
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
  let decodedFrom: string | null = null
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream) {
      read += chunk.length
      yield chunk
    }
  }
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      yield* inUtf8(contentOf(name, counted()), (encoding) => {
        decodedFrom = encoding
      })
    } catch (error) {
      throw signal.aborted ? error : unreadable(name, error as Error)
    }
  }
  return { name, size, bytes: bytes(), bytesRead: () => read, decodedFrom: () => decodedFrom }
}

/** The bytes of the text in a file. Its ending says whether they are packed. */
function contentOf(name: string, bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  if (name.endsWith('.gz')) return unpacked(bytes, 'gzip')
  return /\.kmz$/i.test(name) ? kmlIn(bytes) : bytes
}

function unreadable(name: string, error: NodeJS.ErrnoException): SourceUnreadable {
  if (error.code === 'Z_BUF_ERROR') {
    return new SourceCut(`cannot read '${name}' to its end: the file is cut off`)
  }
  const known: Record<string, string> = {
    ENOENT: 'there is no such file',
    EACCES: 'there is no permission to',
    Z_DATA_ERROR: 'it is not gzip, or damaged',
  }
  return new SourceUnreadable(`cannot read '${name}': ${known[error.code ?? ''] ?? error.message}`)
}

type Decoder = InstanceType<typeof TextDecoder>

/** The most bytes by which an encoding or a foreign format is known. */
const HEAD_BYTES = 4

/** The beginnings of files that are not text, and the advice for each. */
const FOREIGN: readonly [beginning: number[], advice: string][] = [
  [
    [0x50, 0x4b, 3, 4],
    'it is an Excel workbook or another ZIP file; save it as CSV in UTF-8, or unpack it',
  ],
  [[0xd0, 0xcf, 0x11, 0xe0], 'it is an old Excel workbook; save it as CSV in UTF-8'],
  [[0x1f, 0x8b], 'it is gzip; give it a name that ends in .gz'],
  [[0xff, 0xfe, 0, 0], 'it is UTF-32; save it as UTF-8'],
  [[0, 0, 0xfe, 0xff], 'it is UTF-32; save it as UTF-8'],
]

/**
 * The bytes of a text. UTF-16 becomes UTF-8. It is known by its byte order mark, or by the zeros of a first letter. Other
 * bytes pass unchanged. Throws `SourceUnreadable` at the beginning of a file that is not text.
 */
async function* inUtf8(
  bytes: AsyncIterable<Uint8Array>,
  onDecoded: (encoding: string) => void,
): AsyncGenerator<Uint8Array> {
  let head: Uint8Array = new Uint8Array(0)
  let decoder: Decoder | null | undefined
  for await (const chunk of bytes) {
    let next = chunk
    if (decoder === undefined) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
      if (head.length < HEAD_BYTES) continue
      decoder = decoderOf(head)
      if (decoder !== null) onDecoded(decoder.encoding)
      next = head
    }
    yield decoder === null ? next : Buffer.from(decoder.decode(next, { stream: true }))
  }
  if (decoder === undefined && head.length > 0) {
    decoder = decoderOf(head)
    yield decoder === null ? head : Buffer.from(decoder.decode(head, { stream: true }))
  }
  const rest = decoder?.decode() ?? ''
  if (rest !== '') yield Buffer.from(rest)
}

/** Null: the text is not UTF-16. */
function decoderOf(head: Uint8Array): Decoder | null {
  const foreign = FOREIGN.find(([beginning]) => startsWith(head, beginning))
  if (foreign !== undefined) throw new SourceUnreadable(foreign[1])
  const [first, second] = head
  if (startsWith(head, [0xff, 0xfe]) || (first !== 0 && second === 0))
    return new TextDecoder('utf-16le')
  if (startsWith(head, [0xfe, 0xff]) || (first === 0 && second !== 0))
    return new TextDecoder('utf-16be')
  return null
}

function startsWith(bytes: Uint8Array, beginning: readonly number[]): boolean {
  return beginning.every((byte, at) => bytes[at] === byte)
}

const ENTRY = 0x04034b50

const HEADER_BYTES = 30

/** The bit of the flags that says that the sizes come after the content, and the two methods of KMZ. */
const SIZES_FOLLOW = 1 << 3

const ENCRYPTED = 1

const [STORED, DEFLATED] = [0, 8]

/**
 * The KML in a KMZ, which is a ZIP file: its first entry whose name ends in `.kml`. Entries before it are skipped. Throws
 * `SourceUnreadable`. The head of a file is enough for the head of its KML.
 */
async function* kmlIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = buffered(bytes)
  for (;;) {
    const header = await input.take(HEADER_BYTES)
    if (header.length < HEADER_BYTES || header.readUInt32LE(0) !== ENTRY) {
      throw new SourceUnreadable('it is not a KMZ with a KML inside')
    }
    const [flags, method] = [header.readUInt16LE(6), header.readUInt16LE(8)]
    const name = await input.take(header.readUInt16LE(26))
    await input.take(header.readUInt16LE(28))
    const size = (flags & SIZES_FOLLOW) === 0 ? header.readUInt32LE(18) : null
    if (/\.kml$/i.test(name.toString())) {
      if ((flags & ENCRYPTED) !== 0) throw new SourceUnreadable('its KML is encrypted; unpack it')
      if (method === DEFLATED) yield* unpacked(input.rest(size), 'raw')
      else if (method === STORED && size !== null) yield* input.rest(size)
      else throw new SourceUnreadable('its KML is packed in a way that is not supported; unpack it')
      return
    }
    if (size === null) {
      throw new SourceUnreadable(
        'its first entry is not a KML; unpack it, and import the .kml inside',
      )
    }
    for await (const _ of input.rest(size));
  }
}

/** Bytes that are taken in numbers of the caller's choice. */
function buffered(bytes: AsyncIterable<Uint8Array>) {
  const pieces = bytes[Symbol.asyncIterator]()
  let buffer = Buffer.alloc(0)

  async function pull(): Promise<boolean> {
    const { done, value } = await pieces.next()
    if (!done) buffer = Buffer.concat([buffer, value])
    return !done
  }

  return {
    /** The next bytes, fewer at the end. */
    async take(count: number): Promise<Buffer> {
      while (buffer.length < count && (await pull()));
      const taken = buffer.subarray(0, count)
      buffer = buffer.subarray(count)
      return taken
    },
    /** The next bytes in pieces. Null: all. */
    async *rest(count: number | null): AsyncGenerator<Uint8Array> {
      let remaining = count ?? Number.POSITIVE_INFINITY
      while (remaining > 0 && (buffer.length > 0 || (await pull()))) {
        const piece = buffer.subarray(0, remaining)
        buffer = buffer.subarray(piece.length)
        remaining -= piece.length
        yield piece
      }
    },
  }
}

/**
 * Unpacks gzip, or the raw form of ZIP files. Reads all that a piece unpacks to before the next piece: an error at the
 * end of a truncated file would drop what was not read. Bytes after the end of the packed ones are ignored.
 */
async function* unpacked(
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
