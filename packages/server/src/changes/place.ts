import type { RecordType } from '../domain/change-types.ts'
import { ITEM_TOPICS } from '../domain/items.ts'
import type { RecordPlace } from '../store/record-store.ts'

/**
 * A place in the changes of an organization. A reader starts in the snapshot, passes through its parts in
 * order (with or without the history), and goes on in the log.
 */
export type Place = SnapshotPlace | LogPlace

/** The parts of a snapshot in their order. Each has rows by id; records and the history also by time. */
export const SNAPSHOT_PARTS = ['retention', ...ITEM_TOPICS, 'states', 'records', 'history'] as const
export type SnapshotPart = (typeof SNAPSHOT_PARTS)[number]

export type SnapshotPlace = {
  part: SnapshotPart
  /** Whether the history is a part of it. */
  withHistory: boolean
  /** The newest change when the reader started. The log continues after it. */
  base: number
  /** The id of the last item, state or object of a position that was read; 0 at the beginning. */
  id: number
  /** In the history, the time of the last position of that object that was read; -1 at its beginning. */
  time: number
  /** The last derived record that was read. Undefined outside of them, and at their beginning. */
  records?: RecordsPlace | undefined
}

export type LogPlace = {
  part: 'log'
  /** The number of the last change that was read as a whole. */
  after: number
  /** How many parts of the next change were read. */
  skip: number
  /** How far the part after them was read, if it is a range of positions, and then of derived records. */
  id: number
  time: number
  records?: RecordsPlace | undefined
}

export type RecordsPlace = { type: RecordType; after: RecordPlace }

/** Where a reader starts. `newest`: the number of the newest change. */
export function startOf(from: 'snapshot' | 'history' | 'now', newest: number): Place {
  if (from === 'now') return logPlace(newest)
  const withHistory = from === 'history'
  return { part: 'retention', withHistory, base: newest, id: 0, time: -1 }
}

/** After a whole change. */
export function logPlace(after: number): LogPlace {
  return { part: 'log', after, skip: 0, id: 0, time: -1 }
}
