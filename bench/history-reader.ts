import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pin } from './processor.ts'
import type { HistoryAnswer, HistoryRequest } from './read-history.ts'

/** A process that reads histories, so that counting their rows holds up nothing that is timed. */
export type HistoryReader = AsyncDisposable & {
  read(request: HistoryRequest): Promise<HistoryAnswer>
}

/**
 * Not a thread: one of low priority that is held up while it has the process's memory locked holds up
 * the one that times.
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
