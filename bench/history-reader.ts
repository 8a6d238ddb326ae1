import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { HistoryAnswer, HistoryRequest } from './read-history.ts'

/** A thread that reads histories, so that counting their rows holds up nothing that is timed. */
export type HistoryReader = AsyncDisposable & {
  read(request: HistoryRequest): Promise<HistoryAnswer>
}

export function openHistoryReader(): HistoryReader {
  const worker = new Worker(new URL('./read-history.ts', import.meta.url))
  return {
    async read(request) {
      worker.postMessage(request)
      const [answer] = await once(worker, 'message')
      return answer
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}
