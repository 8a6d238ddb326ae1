import type { ReplicaRecords } from '../changes/change-kinds.ts'
import type { FleetObject } from '../types.ts'
import type { RecordKind } from './replica-store.ts'

type Row = ReplicaRecords[RecordKind]

/**
 * A record as the API returns it: with the current names of its object and its place. `place`: the place of a visit, if
 * it still exists.
 */
export function shownRecord<Of extends Row>(
  record: Of,
  { ident, name }: Pick<FleetObject, 'ident' | 'name'>,
  place: { name: string } | undefined,
): Of {
  const shown = { ...record, ident, name }
  return 'place_name' in shown ? { ...shown, place_name: place?.name ?? null } : shown
}

/** Whether a record overlaps a range, ends included. One that is under way has no end. */
export function overlaps(
  { start_time, end_time }: Row,
  { start, end }: { start: string; end: string },
): boolean {
  return start_time <= end && (end_time === null || end_time >= start)
}

/**
 * The order of the API: by object and start, and visits that begin together by the type and id of their places. Changes of
 * levels that begin together have no order.
 */
export function byPlace(a: Row, b: Row): number {
  if (a.object_id !== b.object_id) return a.object_id - b.object_id
  if (a.start_time !== b.start_time) return a.start_time < b.start_time ? -1 : 1
  if (!('place_id' in a) || !('place_id' in b)) return 0
  if (a.place_type !== b.place_type) return a.place_type === 'geofence' ? -1 : 1
  return a.place_id - b.place_id
}
