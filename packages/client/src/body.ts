import type { Clock } from './clock.ts'
import { ConnectionError, UnexpectedAnswerError } from './errors.ts'

/**
 * The bytes of an answer as they come. Rejects with `ConnectionError` where it breaks off, or where nothing
 * comes for `timeoutMs`; the time that the reader takes does not count. Who stops reading ends the answer.
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
    // Of what was read to its end this is nothing; what broke off rejects once more.
    reader.cancel().catch(() => {})
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

function inTime(reader: Reader, clock: Clock, timeoutMs: number): ReturnType<Reader['read']> {
  return new Promise((resolve, reject) => {
    const disarm = clock.after(timeoutMs, () => {
      reject(new ConnectionError(`the answer stopped: nothing came for ${timeoutMs} ms`))
    })
    reader
      .read()
      .then(resolve, (cause) => reject(new ConnectionError('the answer broke off', { cause })))
      .finally(disarm)
  })
}

/** The `result` of an answer, whole. */
export async function resultIn<Result>(bytes: AsyncIterable<Uint8Array>): Promise<Result> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of bytes) text += decoder.decode(part, { stream: true })
  const result = resultOf(text + decoder.decode())
  if (result === undefined) throw new UnexpectedAnswerError()
  return result as Result
}

function resultOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { result?: unknown } | null)?.result
  } catch {
    return undefined
  }
}
