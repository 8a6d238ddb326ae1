import type { Clock } from './clock.ts'
import { ConnectionError, UnexpectedAnswerError } from './errors.ts'

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
    // After the end this does nothing. After a failure it rejects once more.
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

/** The `result` of a complete answer. */
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
