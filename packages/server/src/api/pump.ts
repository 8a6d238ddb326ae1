import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'

/** Who has not taken a piece of an answer for so long is given up: 0.8 kB/s are enough. */
export const STALLED_MS = 120_000
const PIECE_BYTES = 96 * 1024

/** Who reads an answer: `gone` when nobody does any more, `leave` gives him up. */
export type Client = { response: ServerResponse; gone: AbortSignal; leave(why: Error): void }

/**
 * Hands over one block at a time and waits until it was taken, since its memory is then used again. Ends the
 * target after the last block. Resolves when all is taken, or when the client has gone.
 */
export async function pump(
  blocks: AsyncIterable<Uint8Array>,
  target: Writable,
  client: Client,
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
  client: Client,
  hand: (taken: (error?: Error | null) => void) => void,
): Promise<void> {
  const { gone, leave } = client
  return new Promise((resolve) => {
    if (gone.aborted) return resolve()
    // A coder takes what it is given as soon as it is rid of what it has made.
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

/** Node has such a limit for connections. It looks again after as long where the system had taken a part. */
function lookWhetherStalled({ response, leave }: Client): NodeJS.Timeout {
  // An answer has no connection until the ones that were asked for before it are read.
  let hadItsTurn = response.socket !== null
  return setInterval(() => {
    if (hadItsTurn) leave(new Error('The client took nothing for too long.'))
    hadItsTurn = response.socket !== null
  }, STALLED_MS)
}
