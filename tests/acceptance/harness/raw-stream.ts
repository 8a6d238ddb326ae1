import { Agent, get, type IncomingMessage } from 'node:http'
import { blocksIn } from './events.ts'

/** A stream of changes as its blocks. Its client can stop reading. */
export type RawStream = {
  /** The blocks that were read. */
  readonly blocks: readonly string[]
  /** The part of a block at the end of a stream that was cut. */
  rest(): string
  isRead(): boolean
  hasEnded(): boolean
  /** Takes nothing from the system any more, until `read`. */
  hold(): void
  read(): void
  /** Resolves when a block that this accepts was read, or the stream has ended. */
  until(isIt: (block: string) => boolean): Promise<void>
  leave(): void
}

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

/** Opens a stream on a connection of its own. Rejects unless it is a 200. */
export async function openRawStream(url: string, key: string): Promise<RawStream> {
  const headers = { 'x-api-key': key, accept: 'text/event-stream' }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, agent }, resolve).on('error', reject)
  })
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} to ${url}`)
  const blocks: string[] = []
  const looks = new Set<() => void>()
  let rest: string | undefined
  /** Resolves when the client reads. */
  let reading = Promise.withResolvers<void>()
  let isRead = true
  reading.resolve()

  async function readOn(): Promise<void> {
    const all = blocksIn(answer)
    while (rest === undefined) {
      await reading.promise
      const { done, value } = await all.next()
      if (done === true) rest = value
      else blocks.push(value)
      for (const look of looks) look()
    }
  }

  // A client that leaves has an error too.
  void readOn().catch(() => {
    rest = ''
    for (const look of looks) look()
  })
  return {
    blocks,
    rest: () => rest ?? '',
    isRead: () => isRead,
    hasEnded: () => rest !== undefined,
    hold() {
      if (isRead) reading = Promise.withResolvers()
      isRead = false
    },
    read() {
      isRead = true
      reading.resolve()
    },
    until(isIt) {
      return new Promise((resolve) => {
        let looked = 0
        const look = () => {
          while (looked < blocks.length && !isIt(blocks[looked]!)) looked += 1
          if (looked === blocks.length && rest === undefined) return
          looks.delete(look)
          resolve()
        }
        looks.add(look)
        look()
      })
    },
    leave() {
      reading.resolve()
      answer.destroy()
    },
  }
}
