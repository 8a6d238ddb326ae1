import type { IncomingMessage } from 'node:http'
import { parseJson } from '../domain/common/json.ts'
import type { Steps } from '../domain/common/steps.ts'
import { MAX_FILE_BYTES } from '../domain/limits.ts'
import { gatherPieces, type HeldMemory } from '../http/request-body.ts'
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

const HELD = 'the server already holds as many bodies for this organization, or for all, as it may'

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
