import type { OwnedRecord, RecordQuery } from '../record-store.ts'
import type { Tables } from './sql.ts'

/**
 * The selected records of some objects, by object, start, kind and place, after a place. Those under way have any
 * duration, because their rows do not know it. Each store reads them its own way.
 */
export type Overlapping = (
  read: Tables['read'],
  organization: number,
  objects: readonly number[],
  wanted: Wanted,
) => Promise<OwnedRecord[]>

/** `isFirstOnly`: the first record of each object is enough. */
export type Wanted = Omit<RecordQuery, 'objects'> & { readonly isFirstOnly?: boolean }
