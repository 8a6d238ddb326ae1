import { Readable } from 'node:stream'
import { takeTurn } from '../domain/common/turn.ts'
import { SourceUnreadable } from '../import/row.ts'
import { chunksOf, type Source, sourceOf } from '../import/source.ts'
import { MAX_BODY_BYTES } from './body.ts'

/** The server parses one piece at a time, so a piece bounds both the memory and the wait of other requests. */
const PIECE_BYTES = 16 * 1024

/**
 * A source over the body of a request, which may be gzipped. Other requests get a turn before each piece.
 * Reading throws `SourceUnreadable` after `most` unpacked bytes, because a small gzip body can unpack to any
 * size.
 */
export function openUpload(
  name: string,
  file: Buffer,
  signal: AbortSignal,
  most: number = MAX_BODY_BYTES.file,
): Source {
  const stream = Readable.from(chunksOf(file, PIECE_BYTES))
  const source = sourceOf(name, file.length, stream, signal)

  async function* inTurns(): AsyncGenerator<Uint8Array> {
    let bytes = 0
    for await (const chunk of source.bytes) {
      bytes += chunk.length
      if (bytes > most) {
        throw new SourceUnreadable(
          `'${name}' is larger than ${most} bytes when it is unpacked; import it from the command line`,
        )
      }
      for await (const piece of chunksOf(chunk, PIECE_BYTES)) {
        await takeTurn()
        yield piece
      }
    }
  }
  return { ...source, bytes: inTurns() }
}
