import type { DetailRequests } from './asking-process.ts'
import type { OpenLoop } from './open-loop.ts'
import { openOtherProcess } from './other-process.ts'

/** A process that asks for details, so that pauses of a client with other work count as no latency of the server. */
export type DetailAsker = AsyncDisposable & {
  /** Asks 200 times a second until the work is done. */
  during<T>(
    requests: DetailRequests,
    work: () => Promise<T>,
  ): Promise<{ loop: OpenLoop; result: T }>
}

export function openDetailAsker(processor: number): DetailAsker {
  const asker = openOtherProcess('asking-process.ts', processor)
  return {
    async during(requests, work) {
      asker.send(requests)
      const result = await work()
      asker.send({ isDone: true })
      return { loop: await asker.answer(), result }
    },
    [Symbol.asyncDispose]: () => asker[Symbol.asyncDispose](),
  }
}
