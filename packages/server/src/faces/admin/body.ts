import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { busy, Refused } from '../../acts/refused.ts'
import { parseJson } from '../../base/domain/common/plain-json.ts'
import { countShares, takeTurn } from '../../base/domain/common/slots.ts'
import type { Steps } from '../../base/domain/common/steps.ts'
import { MAX_FILE_BYTES } from '../../base/domain/limits.ts'
import {
  type HeldMemory,
  type HoldMemory,
  openHeldMemory,
  PACED_MS,
  receiveBody,
} from '../../base/http/request-body.ts'
import { chunksOf, type Source, sourceOf } from '../../work/import/import-source.ts'
import { SourceUnreadable } from '../../work/import/row.ts'

/** A JSON body has room for a route's geometry. */
export const MAX_BODY_BYTES = {
  file: MAX_FILE_BYTES,
  json: 4 * 1024 * 1024,
  open: 16 * 1024,
} as const

/** A longer body waits for its turn to be parsed. */
export const LONG_BODY_BYTES = 64 * 1024

/** A sender that brings fewer bytes in `PACED_MS` keeps others out for too long. 16 KiB/s. */
const MIN_BYTES = 16 * 1024 * (PACED_MS / 1_000)

/** Reads a request's body. Throws `Refused` if it is too large or too slow, or if its memory is not free, or `CallerGone`. */
export async function readBody(
  message: IncomingMessage,
  most: number,
  held: HeldMemory,
  proceed: () => void,
): Promise<Buffer> {
  const length = Number(message.headers['content-length'] ?? 0)
  if (length > most) throw tooLarge(most)
  // Only bytes that have come are held, but a body without room is refused before it is sent.
  if (!held.hold(length)) throw busy(HELD)
  held.release(length)
  proceed()
  const body = await receiveBody(message, most, held, MIN_BYTES)
  switch (body) {
    case 'too large':
      throw tooLarge(most)
    case 'memory':
      throw busy(HELD)
    case 'too slow':
      throw new Refused(408, 'too_slow', TOO_SLOW, { headers: { Connection: 'close' } })
    case 'cut':
      throw new CallerGone()
  }
  return body as Buffer
}

/** The client has closed its connection: an outcome, and no failure of the server. */
export class CallerGone extends Error {
  override name = 'CallerGone'
}

function tooLarge(most: number): Refused {
  const advice = most === MAX_BODY_BYTES.file ? '; import it from the command line' : ''
  return new Refused(413, 'too_large', `the body is larger than ${most} bytes${advice}`)
}

const TOO_SLOW = `the body is too slow: it must send ${MIN_BYTES} bytes every ${PACED_MS / 1_000} s`
const HELD = 'too many uploads at once, for this organization or in total'

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

/** Files that one process works on at a time. Each takes up to 64 MiB, and as much again while it is read. */
const MAX_UPLOADS = 4
/** An organization leaves room for others, however many sessions and tokens it has. */
const MAX_UPLOADS_OF_ONE = 2

/** The memory of files, while they come and while they are worked on. */
export function openFileMemory(): HoldMemory {
  return openHeldMemory(MAX_UPLOADS * MAX_FILE_BYTES, MAX_UPLOADS_OF_ONE * MAX_FILE_BYTES)
}

/** Receives a file of this organization and runs the work on it. Throws `Refused` if too much such work runs. */
export type Uploads = <Result>(
  organization: number,
  receive: () => Promise<Buffer>,
  work: (file: Buffer) => Promise<Result>,
) => Promise<Result>

export function boundedUploads(): Uploads {
  const running = countShares<number>()

  function refuseTooMany(organization: number): void {
    if (running.of(organization) >= MAX_UPLOADS_OF_ONE) {
      throw busy(`${MAX_UPLOADS_OF_ONE} files of this organization are already being read`)
    }
    if (running.sum >= MAX_UPLOADS) throw busy(`${MAX_UPLOADS} files are already being read`)
  }

  return async (organization, receive, work) => {
    // Before the file is sent. It takes its place once it has come: a sender may be silent.
    refuseTooMany(organization)
    const file = await receive()
    refuseTooMany(organization)
    running.add(organization, 1)
    try {
      return await work(file)
    } finally {
      running.add(organization, -1)
    }
  }
}
