import type { AddressInfo } from 'node:net'
import type { ProcessMetrics } from '../../admin/metrics/summed-metrics.ts'

/** A message from the primary to a worker. */
export type Answers = { ready: boolean; metrics: ProcessMetrics }

export type Question = { id: number; ask: keyof Answers }

export type WorkerAnswer = { id: number; answer: Answers[keyof Answers] }

/** Sent once, when the worker has started to serve. */
export type WorkerStarted = {
  begun: { api: AddressInfo | null; feed: AddressInfo | null; isEmpty: boolean }
}

/** Sent last, when the worker has finished everything in flight. */
export type WorkerLeft = { left: ProcessMetrics }
