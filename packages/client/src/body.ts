import type { Clock } from './clock.ts'
import { ConnectionError, UnexpectedAnswerError } from './errors.ts'
import type { ErrorBody } from './types.ts'

/** Characters. A longer list does not fit into one string. */
const LONGEST_RESULT = 1 << 28
/** Characters. An error of the API has a few hundred. */
const LONGEST_ERROR = 1 << 16

/**
 * The bytes of an answer as they come. Rejects with `ConnectionError` if it breaks off or nothing comes
 * for `timeoutMs`; the reader's own time does not count. Ends the answer when the reader stops.
 */
export async function* bytesOf(
  response: Response,
  clock: Clock,
  timeoutMs: number,
): AsyncGenerator<Uint8Array> {
  const reader = response.body!.getReader()
  try {
    for (;;) {
      const { done, value } = await inTime(reader, clock, timeoutMs)
      if (done) return
      yield value
    }
  } finally {
    // After the end this does nothing. After a failure it rejects again.
    reader.cancel().catch(() => {})
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

function inTime(reader: Reader, clock: Clock, timeoutMs: number): ReturnType<Reader['read']> {
  return new Promise((resolve, reject) => {
    const disarm = clock.after(timeoutMs, () => {
      reject(new ConnectionError(`the response stalled: no data for ${timeoutMs} ms`))
    })
    reader
      .read()
      .then(resolve, (cause) => reject(new ConnectionError('the response ended early', { cause })))
      .finally(disarm)
  })
}

/** The `result` of a complete answer. */
export async function resultIn<Result>(bytes: AsyncIterable<Uint8Array>): Promise<Result> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of bytes) {
    text += decoder.decode(part, { stream: true })
    if (text.length > LONGEST_RESULT) throw new UnexpectedAnswerError()
  }
  const result = resultOf(text + decoder.decode())
  if (result === undefined) throw new UnexpectedAnswerError()
  return result as Result
}

/**
 * The error in the body of a refusal, without members that are not text. It is empty if the body is no such
 * error, is too long, or takes longer than `timeoutMs`.
 */
export async function errorIn(
  bytes: AsyncIterable<Uint8Array>,
  clock: Clock,
  timeoutMs: number,
): Promise<Partial<ErrorBody>> {
  const deadline = clock.now() + timeoutMs
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const part of bytes) {
      text += decoder.decode(part, { stream: true })
      if (text.length > LONGEST_ERROR || clock.now() > deadline) return {}
    }
    const members = Object.entries(JSON.parse(text + decoder.decode()) ?? {})
    return Object.fromEntries(members.filter(([, value]) => typeof value === 'string'))
  } catch {
    // The status of the answer says enough.
    return {}
  }
}

function resultOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { result?: unknown } | null)?.result
  } catch {
    return undefined
  }
}
