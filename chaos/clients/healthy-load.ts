import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Tenant } from '../../bench/tenants.ts'

/** What became of the healthy requests since it was asked last; times in milliseconds. */
export type HealthyFigures = {
  asked: number
  /** What was not answered as it has to be; some of them. */
  faults: string[]
  p50: number
  p99: number
  slowest: number
}

export type HealthyLoad = AsyncDisposable & { figures(): Promise<HealthyFigures> }

/** Organizations that ask one hundred times a second, in a thread that nothing else holds up. */
export function openHealthyLoad(port: number, tenants: Tenant[]): HealthyLoad {
  const worker = new Worker(new URL('./healthy-thread.ts', import.meta.url), {
    workerData: { port, tenants },
  })
  return {
    async figures() {
      worker.postMessage('figures')
      const [figures] = await once(worker, 'message')
      return figures
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}
