import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { DetailRequests } from './asking-process.ts'
import type { OpenLoop } from './open-loop.ts'
import { pin } from './processor.ts'

/** A process that asks for details, so that pauses of a client with other work count as no latency of the server. */
export type DetailAsker = AsyncDisposable & {
  /** Asks 200 times a second until the work is done. */
  during<T>(
    requests: DetailRequests,
    work: () => Promise<T>,
  ): Promise<{ loop: OpenLoop; result: T }>
}

export function openDetailAsker(processor: number): DetailAsker {
  const child = fork(join(import.meta.dirname, 'asking-process.ts'))
  pin(child.pid!, processor)
  const ended = once(child, 'exit')
  return {
    async during(requests, work) {
      child.send(requests)
      const result = await work()
      child.send('done')
      const [loop] = await Promise.race([
        once(child, 'message'),
        ended.then(([code]) => {
          throw new Error(`the asking process ended with exit code ${code}`)
        }),
      ])
      return { loop, result }
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}
