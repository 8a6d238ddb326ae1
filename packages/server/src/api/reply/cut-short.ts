import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Answer, EventStream } from '../operation.ts'
import { isEventStream } from './reply.ts'

const CUT_AFTER_BYTES = 1_024

/** The same answer, whose connection breaks after 1 KiB of the body. A shorter one is complete. */
export function cutShort(answer: Answer, connection: Socket): Answer {
  const { bytes: _, body, ...rest } = answer
  if (isEventStream(body)) return { ...rest, body: cutEvents(body) }
  return {
    ...rest,
    isPlain: true,
    body: async () => firstBytes(typeof body === 'function' ? await body() : body, connection),
  }
}

/** A block is asked for when the system has taken the one before. */
async function* firstBytes(
  body: string | Buffer | AsyncIterable<Uint8Array>,
  connection: Socket,
): AsyncGenerator<Uint8Array> {
  const isWhole = typeof body === 'string' || Buffer.isBuffer(body)
  let remaining = CUT_AFTER_BYTES
  for await (const block of isWhole ? [Buffer.from(body)] : body) {
    yield block.subarray(0, remaining)
    remaining -= block.length
    if (remaining > 0) continue
    connection.destroy()
    return
  }
}

function cutEvents(stream: EventStream): EventStream {
  return {
    ended: () => stream.ended(),
    run(response) {
      cutWrites(response)
      return stream.run(response)
    },
  }
}

function cutWrites(response: ServerResponse): void {
  const write = response.write.bind(response)
  let remaining = CUT_AFTER_BYTES
  response.write = (piece: string | Uint8Array): boolean => {
    const bytes = Buffer.from(piece)
    remaining -= bytes.length
    if (remaining > 0) return write(bytes)
    return write(bytes.subarray(0, bytes.length + remaining), () => response.destroy())
  }
}
