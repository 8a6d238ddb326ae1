import type { StoredAttribute } from '../../base/domain/attributes/catalogue.ts'
import type { Grant } from '../../base/domain/grant.ts'
import type { KeyScope } from '../../base/domain/key-scope.ts'
import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import { shownFrom } from '../../base/domain/organization.ts'
import type { AttributeValue } from '../../base/domain/position/attribute.ts'
import { readSection } from '../../base/domain/position/attribute-section.ts'
import {
  type CurrentAttributes,
  NO_ATTRIBUTES,
} from '../../base/domain/position/current-attributes.ts'
import {
  FIX_FLAG,
  flagsAt,
  readCounters,
  unpackFix,
} from '../../base/domain/position/fix-record.ts'
import { bareFold } from '../../base/domain/position/fold-state.ts'
import {
  type AddressAt,
  nothingKnown,
  type ObjectState,
  UNSEEN,
} from '../../base/domain/position/object-state.ts'
import type { DerivedRecord, Trip } from '../../base/domain/record.ts'
import { isWithin, LAST_TIME, type TimeRange } from '../../base/domain/time/time.ts'
import type { NewestPosition, ReaderView } from '../../engine/store/change-log.ts'
import type { OwnedRecord } from '../../engine/store/record-store.ts'

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
  attributes(entries: readonly StoredAttribute[]): readonly StoredAttribute[]
  /** The record as the key sees it, or nothing: a record is visible if all of its positions are. */
  record(owned: OwnedRecord): OwnedRecord[]
}

/** How states are read: at a moment, with addresses that are known by then, and with attributes if the key sees any. */
export type Reading = { now: number; addressAt: AddressAt | undefined; hasAttributes: boolean }

const NO_LIMITS: Grant = { objects: null, from: null, until: null, attributes: null }

export function narrowingOf(scope: KeyScope): Narrowing {
  const { objects, from, until, attributes } = scope.grants?.[0] ?? NO_LIMITS
  const known = objects === null ? null : new Set(objects)
  const times = from === null && until === null ? null : { from: from ?? 0, to: until ?? LAST_TIME }
  const sees = (object: number) => known?.has(object) ?? true
  const shows = (time: number) => times === null || isWithin(times, time)
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
      attributes === null ? entries : entries.filter(({ name }) => attributes.includes(name)),
    record(owned) {
      const { object, record } = owned
      if (!sees(object) || !shows(record.start) || !shows(record.end ?? record.until)) return []
      return [{ ...owned, record: times === null ? record : withinTimes(times, record) }]
    },
  }
}

/** A visible record without what positions outside of the range reveal. */
function withinTimes(times: TimeRange, record: DerivedRecord): DerivedRecord {
  if (record.kind === 'stop' || record.kind === 'level') return record
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

/**
 * The states of objects for a key that sees only the positions of a range of time. The newest believed position of
 * the range makes the state of its object, with its attributes. An object without one is `UNSEEN`.
 */
export async function boundedStates(
  view: Pick<ReaderView, 'newestIn' | 'organization' | 'states'>,
  objects: readonly number[],
  range: TimeRange,
  { now, addressAt = nothingKnown, hasAttributes }: Reading,
): Promise<Map<number, ObjectState>> {
  const states = new Map<number, ObjectState>(objects.map((object) => [object, UNSEEN]))
  const named = hasAttributes ? await view.states(objects) : new Map<number, ObjectState>()
  const namesOf = (object: number) => named.get(object)?.attributes ?? NO_ATTRIBUTES
  const from = Math.ceil(Math.max(range.from, shownFrom(view.organization, now)))
  let wanted = objects.map((object) => ({ object, from, to: range.to }))
  while (wanted.length > 0) {
    const found = await view.newestIn(wanted)
    const [believed, suspect] = [
      found.filter(isBelieved),
      found.filter((each) => !isBelieved(each)),
    ]
    for (const each of believed) {
      states.set(each.object, stateAt(each, addressAt, namesOf(each.object)))
    }
    wanted = suspect.map(({ object, believedAt: to }) => ({ object, from, to }))
  }
  return states
}

function isBelieved({ record, believedAt }: NewestPosition): boolean {
  return unpackFix(record).timeDevice <= believedAt
}

function stateAt(
  { record, motion, shownAt }: NewestPosition,
  addressAt: AddressAt,
  names: CurrentAttributes,
): ObjectState {
  const fix = unpackFix(record)
  const { timeDevice: time, latitude, longitude } = fix
  const address = fix.address ?? addressAt(latitude, longitude)
  const here = { time, latitude, longitude }
  const timeOf = (which: typeof motion) => (motion === which ? time : null)
  return {
    lastFix: fix,
    timeServer: fix.timeServer,
    timeLastIdle: timeOf('idle'),
    timeLastMove: timeOf('moving'),
    timeLastStop: timeOf('stopped'),
    address: address === null ? null : { value: address, at: time },
    fold: {
      ...bareFold(here, readCounters(Buffer.from(record))),
      shown: { ...here, time: shownAt },
      motion,
    },
    attributes: attributesAt(record, time, names),
  }
}

/** All names of the object, because records have their indices, with the values of this record. */
function attributesAt(record: Uint8Array, at: number, names: CurrentAttributes): CurrentAttributes {
  const values = new Map<number, AttributeValue>()
  if ((flagsAt(record, 0) & FIX_FLAG.attributes) !== 0) {
    readSection(record, record.length, (index, value) => values.set(index, value))
  }
  return names.map(({ name }, index) => {
    const value = values.get(index) ?? null
    return value === null ? { name, value, at: 0, count: 0 } : { name, value, at, count: 1 }
  })
}
