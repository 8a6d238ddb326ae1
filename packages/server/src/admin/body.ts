import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { parseJson } from '../domain/common/json.ts'
import { countShares, takeTurn } from '../domain/common/slots.ts'
import type { Steps } from '../domain/common/steps.ts'
import { MAX_FILE_BYTES } from '../domain/limits.ts'
import { gatherPieces, type HeldMemory } from '../http/request-body.ts'
import { SourceUnreadable } from '../import/row.ts'
import { chunksOf, type Source, sourceOf } from '../import/source.ts'
import { busy, Refused } from '../operator/refused.ts'

/** A JSON body has room for a route's geometry. */
export const MAX_BODY_BYTES = {
  file: MAX_FILE_BYTES,
  json: 4 * 1024 * 1024,
  open: 16 * 1024,
} as const

/** A longer body waits for its turn to be parsed. */
export const LONG_BODY_BYTES = 64 * 1024

/**
 * Reads a request's body. Throws `Refused` if it is too large, or if its memory is not free. `held`: null of a file,
 * of which few come at once.
 */
export async function readBody(
  message: IncomingMessage,
  most: number,
  held: HeldMemory | null,
): Promise<Buffer> {
  // The pieces of a refused body are garbage, so one of a known length is refused before it is read.
  let holding = Math.min(most, Number(message.headers['content-length'] ?? 0))
  if (held?.hold(holding) === false) throw busy(HELD)
  const pieces = gatherPieces()
  let bytes = 0
  // The rest of a refused body is read after the answer.
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes <= most && bytes > holding) {
      if (held?.hold(bytes - holding) === false) throw busy(HELD)
      holding = bytes
    }
    if (bytes <= most) pieces.add(chunk)
    else pieces.clear()
  }
  if (bytes > most) {
    const advice = most === MAX_BODY_BYTES.file ? '; import it from the command line' : ''
    throw new Refused(413, 'too_large', `the body is larger than ${most} bytes${advice}`)
  }
  return pieces.join()
}

const HELD =
  'the server already holds the maximum number of bodies for this organization, or in total'

/** The members of a JSON object, in steps. */
export function* parseBody(body: Buffer): Steps<Record<string, unknown>> {
  let value: unknown
  try {
    value = yield* parseJson(body.toString())
  } catch {
    throw new Refused(400, 'invalid', 'the body is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refused(400, 'invalid', 'the body must be a JSON object')
  }
  return value as Record<string, unknown>
}

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

/** Files that one process takes at a time. Each takes up to 64 MiB, and as much again while it is read. */
const MAX_UPLOADS = 4
/** An organization leaves room for others, however many sessions and tokens it has. */
const MAX_UPLOADS_OF_ONE = 2

/** Runs work that holds a file for this organization. Throws `Refused` if too much such work runs. */
export type Uploads = <Result>(organization: number, work: () => Promise<Result>) => Promise<Result>

export function boundedUploads(): Uploads {
  const running = countShares<number>()

  return async (organization, work) => {
    const own = running.of(organization)
    if (own >= MAX_UPLOADS_OF_ONE || running.sum >= MAX_UPLOADS) throw tooMany(own)
    running.add(organization, 1)
    try {
      return await work()
    } finally {
      running.add(organization, -1)
    }
  }
}

function tooMany(own: number): Refused {
  return busy(
    own >= MAX_UPLOADS_OF_ONE
      ? `${MAX_UPLOADS_OF_ONE} files are already being sent for this organization, the most at once`
      : `${MAX_UPLOADS} files are already being sent, the most at once for one process`,
  )
}
