import type { AttributeEntry } from '../../domain/attributes/catalogue.ts'
import { dataRangeOf, isWithin, type KeyScope } from '../../domain/key-scope.ts'
import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { AddressAt } from '../../domain/position/object-state.ts'
import type { DerivedRecord, Trip } from '../../domain/record.ts'
import type { TimeRange } from '../../domain/time/time-range.ts'
import type { OwnedRecord } from '../../store/record-store.ts'

/** The part of an organization that a scope opens. */
export type Narrowing = {
  /** The visible objects, ascending. Null: all. */
  readonly objects: readonly number[] | null
  /** The times of visible positions. Null: all. */
  readonly times: TimeRange | null
  sees(object: number): boolean
  /** The visible ones of these objects. */
  own(objects: readonly number[]): number[]
  /** Whether a position of this time is visible. */
  shows(time: number): boolean
  /** The visible part of a range. If no part is visible, its start is after its end. */
  part(range: TimeRange): TimeRange
  /**
   * An object with its settings. Its own counters and address are of an unknown time, so a key with a range of time
   * does not see them.
   */
  object(object: MonitoredObject): MonitoredObject
  /** The visible ones of these entries of the catalogue. */
  attributes(entries: readonly AttributeEntry[]): readonly AttributeEntry[]
  /** The record as the key sees it, or nothing: a record is visible if all of its positions are. */
  record(owned: OwnedRecord): OwnedRecord[]
}

/** How states are read: at a moment, with addresses that are known by then, and with attributes if the key sees any. */
export type Reading = { now: number; addressAt: AddressAt | undefined; hasAttributes: boolean }

export function narrowingOf(scope: KeyScope): Narrowing {
  const { objects } = scope
  const known = objects === null ? null : new Set(objects)
  const times = dataRangeOf(scope)
  const sees = (object: number) => known?.has(object) ?? true
  const shows = (time: number) => isWithin(times, time)
  return {
    objects,
    times,
    sees,
    shows,
    own: (some) => some.filter(sees),
    part({ from, to }) {
      if (times === null) return { from, to }
      return { from: Math.max(from, times.from), to: Math.min(to, times.to) }
    },
    object(object) {
      if (times === null) return object
      return { ...object, engineHours: null, odometer: null, mileage: null, address: null }
    },
    attributes: (entries) =>
      scope.attributes === null
        ? entries
        : entries.filter(({ name }) => scope.attributes!.includes(name)),
    record(owned) {
      const { object, record } = owned
      if (!sees(object) || !shows(record.start) || !shows(record.end ?? record.until)) return []
      return [{ ...owned, record: times === null ? record : withinTimes(times, record) }]
    },
  }
}

/** A visible record without what positions outside of the range reveal. */
function withinTimes(times: TimeRange, record: DerivedRecord): DerivedRecord {
  if (record.kind === 'stop') return record
  if (record.kind === 'trip') return isOpenBelow(times) ? record : withOwnDistance(record)
  const shown = (time: number | null) => (time !== null && isWithin(times, time) ? time : null)
  return { ...record, before: shown(record.before), after: shown(record.after) }
}

function isOpenBelow({ from }: TimeRange): boolean {
  return from === 0
}

/**
 * The trip with the distance between its ends. The stored distance has all that a sensor counted since the trip before,
 * which may be before the range. It is unknown while the trip is under way.
 */
function withOwnDistance(trip: Trip): Trip {
  const [from, to] = [trip.from.odometer, trip.to?.odometer ?? null]
  return { ...trip, distance: from === null || to === null ? null : to - from }
}
