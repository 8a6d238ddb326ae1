import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pin } from './processor.ts'
import type { HistoryAnswer, HistoryRequest } from './read-history.ts'

/** A process that reads histories, so that counting their rows does not delay the timed requests. */
export type HistoryReader = AsyncDisposable & {
  read(request: HistoryRequest): Promise<HistoryAnswer>
}

/**
 * A thread would not do: a thread of low priority that waits while it holds the process's memory lock delays the
 * timing thread.
 */
export function openHistoryReader(processor: number): HistoryReader {
  const child = fork(join(import.meta.dirname, 'reading-process.ts'))
  pin(child.pid!, processor)
  const ended = once(child, 'exit')
  return {
    async read(request) {
      child.send(request)
      const [answer] = await Promise.race([
        once(child, 'message'),
        ended.then(([code]) => {
          throw new Error(`a reader ended with exit code ${code}`)
        }),
      ])
      return answer
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}
