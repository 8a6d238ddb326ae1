import { dataRangeOf, isWithin, type KeyScope } from '../../domain/key-scope.ts'
import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { AddressAt } from '../../domain/position/known-addresses.ts'
import type { DerivedRecord, Trip } from '../../domain/record.ts'
import type { TimeRange } from '../../domain/time/time-range.ts'

/** The objects and times that a scope opens. */
export type Narrowing = {
  sees(object: number): boolean
  /** Ascending. Null: all. */
  readonly objects: readonly number[] | null
  /** The times of visible positions. Null: all. */
  readonly times: TimeRange | null
}

export function narrowingOf(scope: KeyScope): Narrowing {
  const { objects } = scope
  const known = objects === null ? null : new Set(objects)
  return { sees: (object) => known?.has(object) ?? true, objects, times: dataRangeOf(scope) }
}

/** How states are read: at a moment, and with addresses that are known by then. */
export type Reading = { now: number; addressAt: AddressAt | undefined }

/** The visible part of a range. If no part is visible, its start lies behind its end. */
export function visiblePart({ times }: Narrowing, { from, to }: TimeRange): TimeRange {
  if (times === null) return { from, to }
  return { from: Math.max(from, times.from), to: Math.min(to, times.to) }
}

/**
 * The object with its settings. Its own counters and address are of an unknown time, so a key with a range of time
 * does not see them.
 */
export function visibleObject({ times }: Narrowing, object: MonitoredObject): MonitoredObject {
  if (times === null) return object
  return { ...object, engineHours: null, odometer: null, mileage: null, address: null }
}

/** A record is visible if all of its positions are. */
export function isVisible({ times }: Narrowing, { start, end, until }: DerivedRecord): boolean {
  return isWithin(times, start) && isWithin(times, end ?? until)
}

/** A visible record without what positions beside it tell that are not visible. */
export function visibleRecord({ times }: Narrowing, record: DerivedRecord): DerivedRecord {
  if (times === null || record.kind === 'stop') return record
  if (record.kind === 'trip') return isOpenBelow(times) ? record : withOwnDistance(record)
  const shown = (time: number | null) => (time !== null && isWithin(times, time) ? time : null)
  return { ...record, before: shown(record.before), after: shown(record.after) }
}

function isOpenBelow({ from }: TimeRange): boolean {
  return from === 0
}

/**
 * The trip with the distance between its ends. The stored distance has all that a sensor counted since the trip before,
 * which may lie before the range. It is unknown while the trip is under way.
 */
function withOwnDistance(trip: Trip): Trip {
  const [from, to] = [trip.from.odometer, trip.to?.odometer ?? null]
  return { ...trip, distance: from === null || to === null ? null : to - from }
}
