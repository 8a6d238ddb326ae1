import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'

/** A client that takes longer than this for a piece of an answer is given up: 0.8 kB/s are enough. */
export const PIECE_TIMEOUT_MS = 120_000
const PIECE_BYTES = 96 * 1024

/** The reader of an answer. `gone`: it has gone. `leave`: gives it up. */
export type PumpTarget = { response: ServerResponse; gone: AbortSignal; leave(why: Error): void }

/**
 * Writes one block at a time and waits until it was taken, because its memory is used again. Ends the
 * target after the last block. Resolves when all is taken, or when the client has gone.
 */
export async function pump(
  blocks: AsyncIterable<Uint8Array>,
  target: Writable,
  client: PumpTarget,
): Promise<void> {
  for await (const block of blocks) {
    for (let at = 0; at < block.length; at += PIECE_BYTES) {
      const piece = block.subarray(at, at + PIECE_BYTES)
      await untilTaken(target, client, (taken) => target.write(piece, taken))
      if (client.gone.aborted) return
    }
  }
  await untilTaken(target, client, (taken) => target.end(taken))
}

function untilTaken(
  target: Writable,
  client: PumpTarget,
  hand: (taken: (error?: Error | null) => void) => void,
): Promise<void> {
  const { gone, leave } = client
  return new Promise((resolve) => {
    if (gone.aborted) return resolve()
    // A compressor takes input again after its output was taken.
    const looks = target === client.response ? lookWhetherStalled(client) : undefined
    const done = () => {
      clearInterval(looks)
      gone.removeEventListener('abort', done)
      resolve()
    }
    gone.addEventListener('abort', done)
    hand((error) => {
      if (error) leave(error)
      done()
    })
  })
}

/** Node has such a time-out for connections. If the system took a part, it starts again. */
function lookWhetherStalled({ response, leave }: PumpTarget): NodeJS.Timeout {
  // An answer gets its connection when the answers before it have been read.
  let hadItsTurn = response.socket !== null
  return setInterval(() => {
    if (hadItsTurn) leave(new Error('The client took nothing for too long.'))
    hadItsTurn = response.socket !== null
  }, PIECE_TIMEOUT_MS)
}
