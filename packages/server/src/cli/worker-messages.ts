import type { AddressInfo } from 'node:net'
import type { ProcessMetrics } from '../admin/summed-metrics.ts'

/** What the process that opened the ports asks of those that serve them. */
export type Answers = { ready: boolean; metrics: ProcessMetrics }

export type Question = { id: number; ask: keyof Answers }

export type Answer = { id: number; answer: Answers[keyof Answers] }

/** Told once, when a process has begun to serve. */
export type Begun = {
  begun: { api: AddressInfo | null; feed: AddressInfo | null; isEmpty: boolean }
}

/** Told last, when all that it had in flight is finished. */
export type Left = { left: ProcessMetrics }
