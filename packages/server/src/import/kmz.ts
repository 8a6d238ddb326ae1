import { SourceUnreadable } from './row.ts'
import { unpacked } from './unpacked.ts'

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
export async function* kmlIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = buffered(bytes)
  for (;;) {
    const header = await input.take(HEADER_BYTES)
    if (header.length < HEADER_BYTES || header.readUInt32LE(0) !== ENTRY) {
      throw new SourceUnreadable('it is no KMZ with a KML in it')
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
      throw new SourceUnreadable('its first entry is no KML; unpack it, and import the .kml in it')
    }
    for await (const _ of input.rest(size));
  }
}

/** Bytes that are taken in numbers of the caller's choice. */
function buffered(bytes: AsyncIterable<Uint8Array>) {
  const pieces = bytes[Symbol.asyncIterator]()
  let held = Buffer.alloc(0)

  async function pull(): Promise<boolean> {
    const { done, value } = await pieces.next()
    if (!done) held = Buffer.concat([held, value])
    return !done
  }

  return {
    /** The next bytes, fewer at the end. */
    async take(count: number): Promise<Buffer> {
      while (held.length < count && (await pull()));
      const taken = held.subarray(0, count)
      held = held.subarray(count)
      return taken
    },
    /** The next bytes in pieces. Null: all. */
    async *rest(count: number | null): AsyncGenerator<Uint8Array> {
      let left = count ?? Number.POSITIVE_INFINITY
      while (left > 0 && (held.length > 0 || (await pull()))) {
        const piece = held.subarray(0, left)
        held = held.subarray(piece.length)
        left -= piece.length
        yield piece
      }
    },
  }
}
