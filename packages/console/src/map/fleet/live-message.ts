import type { Batch } from './pending.ts'

/** A message from the worker that reads the stream. */
export type LiveMessage = Batch | { state: 'open' | 'lost' }
