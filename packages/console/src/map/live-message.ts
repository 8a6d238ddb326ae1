import type { Batch } from './pending.ts'

/** What the worker that reads the stream tells the page. */
export type LiveMessage = Batch | { state: 'open' | 'lost' }
