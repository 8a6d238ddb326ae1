import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Tenant } from '../../../bench/tenants.ts'

/** The results of healthy requests since the last call; times in milliseconds. */
export type HealthyFigures = {
  asked: number
  /** Some of the wrong answers. */
  faults: string[]
  p50: number
  p99: number
  slowest: number
}

export type HealthyLoad = AsyncDisposable & { figures(): Promise<HealthyFigures> }

/** Organizations that send one hundred requests a second, in a thread of their own. */
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
