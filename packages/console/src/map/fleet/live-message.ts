import type { Batch } from './pending.ts'

/** A message from the worker that reads the stream. `settings`: lists of objects are outdated. */
export type LiveMessage = Batch | { state: 'open' | 'lost' } | { settings: 'outdated' }
