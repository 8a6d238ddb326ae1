import type { StoredAttribute } from '../../base/domain/attributes/attribute-catalogue.ts'
import { UNLIMITED } from '../../base/domain/grant.ts'
import { grantedTimes, type Interval, isOpenIn } from '../../base/domain/granted-times.ts'
import type { KeyScope } from '../../base/domain/key-scope.ts'
import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import type { ShownFrom } from '../../base/domain/organization.ts'
import type { AttributeValue } from '../../base/domain/position/attribute.ts'
import { readSection } from '../../base/domain/position/attribute-section.ts'
import {
  type CurrentAttributes,
  NO_ATTRIBUTES,
  noValue,
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
import {
  type DerivedRecord,
  type Extent,
  neededExtent,
  type Trip,
} from '../../base/domain/record.ts'
import { partsIn, rangeAt } from '../../base/domain/time/ranges.ts'
import { isWithin, LAST_TIME, type TimeRange } from '../../base/domain/time/time.ts'
import type { NewestPosition, ObjectRange, ReaderView } from '../../engine/store/change-log.ts'
import type { OwnedRecord } from '../../engine/store/record-store.ts'
import { type OpenAt, shownRecord, shownValues } from './shown-attributes.ts'

/** The part of an organization that a scope opens. */
export type Narrowing = {
  /** The visible objects, ascending. Null: all. */
  readonly objects: readonly number[] | null
  /** Whether the times of visible positions are limited for any object. */
  readonly isBounded: boolean
  /** Whether all visible objects have one interval, the same one. */
  readonly isAlike: boolean
  showsObject(object: number): boolean
  /** The visible ones of these objects. */
  visibleObjects(objects: readonly number[]): number[]
  /** The intervals of the times of an object that is visible. */
  intervals(object: number): readonly Interval[]
  /** Whether a position of an object of this time is visible. */
  showsPosition(object: number, time: number): boolean
  /** The part of a range in which positions of any object are visible. If there is none, its start is after its end. */
  visibleHull(range: TimeRange): TimeRange
  /** The visible parts of a range of an object, ascending. None of them touch. */
  visibleParts(object: number, range: TimeRange): readonly TimeRange[]
  /**
   * An object with its settings. Its own counters and address are of an unknown time, so a key with a range of time
   * does not see them.
   */
  object(object: MonitoredObject): MonitoredObject
  /** The visible ones of these entries of the catalogue. */
  attributes(entries: readonly StoredAttribute[]): readonly StoredAttribute[]
  /** The attributes of an object at a moment. Null: they are the same ones for all objects and times. */
  readonly openAt: OpenAt | null
  /**
   * A record is visible if all positions that it needs are in one interval, and its attribute is open in all of it.
   * `extent`: of these positions. `attribute`: of a change of level. `entries`: those of the catalogue that the key sees.
   */
  showsRecord(
    object: number,
    extent: Extent,
    attribute: number | undefined,
    entries: readonly StoredAttribute[],
  ): boolean
  /** The record as the key sees it, or nothing. */
  record(owned: OwnedRecord, entries: readonly StoredAttribute[]): OwnedRecord[]
}

/** How states are read: from when on, with addresses that are known by now, and with the attributes that the key sees. */
export type Reading = {
  shownFrom: ShownFrom
  addressAt: AddressAt | undefined
  entries: readonly StoredAttribute[]
}

export function narrowingOf({ grants }: KeyScope): Narrowing {
  const all = grants ?? [UNLIMITED]
  const objects = unionOf(all.map((grant) => grant.objects))?.sort((a, b) => a - b) ?? null
  const known = objects === null ? null : new Set(objects)
  const isBounded = all.some(({ from, until }) => from !== null || until !== null)
  const intervals = grantedTimes(all)
  const hull = {
    from: all.reduce((first, { from }) => Math.min(first, from ?? 0), LAST_TIME),
    to: all.reduce((last, { until }) => Math.max(last, until ?? LAST_TIME), 0),
  }
  const showsObject = (object: number) => known?.has(object) ?? true
  const openAt: OpenAt = (object, time) => {
    const interval = showsObject(object) ? rangeAt(intervals(object), time) : undefined
    return interval && rangeAt(interval.segments, time)!.attributes
  }
  const names = unionOf(all.map(({ attributes }) => attributes))
  const shown = names === null ? null : new Set(names)
  const hasOneList = new Set(all.map(({ attributes }) => JSON.stringify(attributes))).size === 1
  const showsRecord: Narrowing['showsRecord'] = (object, { start, until }, attribute, entries) => {
    const interval = showsObject(object) ? rangeAt(intervals(object), start) : undefined
    if (interval === undefined || until > interval.to) return false
    if (attribute === undefined || hasOneList) return true
    const name = entries.find(({ id }) => id === attribute)?.name
    return name !== undefined && isOpenIn(interval, { from: start, to: until }, name)
  }
  return {
    objects,
    isBounded,
    showsRecord,
    isAlike: !isBounded || all.length === 1,
    intervals,
    showsObject,
    visibleObjects: (some) => some.filter(showsObject),
    showsPosition: (object, time) =>
      showsObject(object) && (!isBounded || rangeAt(intervals(object), time) !== undefined),
    visibleHull({ from, to }) {
      if (!isBounded) return { from, to }
      return { from: Math.max(from, hull.from), to: Math.min(to, hull.to) }
    },
    visibleParts(object, range) {
      if (!showsObject(object) || range.from > range.to) return []
      return isBounded ? partsIn(intervals(object), range) : [range]
    },
    object(object) {
      if (!isBounded) return object
      return { ...object, engineHours: null, odometer: null, mileage: null, address: null }
    },
    attributes: (entries) =>
      shown === null ? entries : entries.filter(({ name }) => shown.has(name)),
    openAt: hasOneList ? null : openAt,
    record(owned, entries) {
      const { object, record } = owned
      const attribute = record.kind === 'level' ? record.attribute : undefined
      if (!showsRecord(object, neededExtent(record), attribute, entries)) return []
      if (!isBounded) return [owned]
      return [{ ...owned, record: withinTimes(rangeAt(intervals(object), record.start)!, record) }]
    },
  }
}

/** All that lists have. Null: one of them limits nothing. */
function unionOf<Item>(lists: readonly (readonly Item[] | null)[]): Item[] | null {
  const items = new Set<Item>()
  for (const list of lists) {
    if (list === null) return null
    for (const item of list) items.add(item)
  }
  return [...items]
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
 * The states of objects for a key that sees only the positions of some times. The newest believed position that is
 * visible makes the state of its object, with its attributes. An object without one is unseen.
 */
export async function boundedStates(
  view: Pick<ReaderView, 'newestIn' | 'states'>,
  objects: readonly number[],
  narrowing: Narrowing,
  { shownFrom, addressAt = nothingKnown, entries }: Reading,
): Promise<Map<number, ObjectState>> {
  const named = entries.length > 0 ? await view.states(objects) : new Map<number, ObjectState>()
  const states = new Map(objects.map((object) => [object, unseen(named.get(object))]))
  const rangeTo = (object: number, to: number) => ({ object, from: shownFrom(object), to })
  let wanted = objects.map((object) => rangeTo(object, LAST_TIME))
  while (wanted.length > 0) {
    const found = await newestVisible(view, narrowing, wanted)
    const [believed, suspect] = [
      found.filter(isBelieved),
      found.filter((each) => !isBelieved(each)),
    ]
    for (const { object, record, ...newest } of believed) {
      const names = named.get(object)?.attributes ?? NO_ATTRIBUTES
      const { openAt } = narrowing
      const shown = openAt && shownRecord(record, shownValues(openAt, entries, object, names))
      states.set(object, stateAt({ object, record: shown ?? record, ...newest }, addressAt, names))
    }
    wanted = suspect.map(({ object, believedAt }) => rangeTo(object, believedAt))
  }
  return states
}

/** As `newestIn` of a view, of the visible positions. Its reads do not depend on the others. */
export function newestVisible(
  view: Pick<ReaderView, 'newestIn'>,
  narrowing: Narrowing,
  wanted: readonly ObjectRange[],
): Promise<NewestPosition[]> {
  const timeOf = ({ record }: NewestPosition) => unpackFix(record).timeDevice
  return newestAmong(narrowing, wanted, (ranges) => view.newestIn(ranges), timeOf)
}

/**
 * The newest visible ones of the positions of some objects, in the order of `wanted`. `read`: those of all positions in
 * ranges. A read that ends in a gap continues with the visible parts before it, so the reads follow what is stored.
 */
export async function newestAmong<Found extends { object: number }>(
  narrowing: Narrowing,
  wanted: readonly ObjectRange[],
  read: (ranges: readonly ObjectRange[]) => Promise<readonly Found[]>,
  timeOf: (found: Found) => number,
): Promise<Found[]> {
  const found = new Map<number, Found>()
  let rest = wanted.map(({ object, ...range }) => ({
    ...{ object, parts: narrowing.visibleParts(object, range) },
  }))
  for (;;) {
    rest = rest.filter(({ parts }) => parts.length > 0)
    if (rest.length === 0) break
    const hulls = rest.map(({ object, parts }) => {
      return { object, from: parts[0]!.from, to: parts.at(-1)!.to }
    })
    const newest = new Map((await read(hulls)).map((each) => [each.object, each]))
    rest = rest.flatMap(({ object, parts }) => {
      const each = newest.get(object)
      if (each === undefined) return []
      if (parts.length > 1) return { object, parts: remaining(parts, timeOf(each)) }
      found.set(object, each)
      return []
    })
  }
  return wanted.flatMap(({ object }) => found.get(object) ?? [])
}

/** The parts that can have the newest visible position, if that of their whole range is of this time. */
function remaining(parts: readonly TimeRange[], time: number): readonly TimeRange[] {
  const left = parts.slice(0, parts.findLastIndex(({ from }) => from <= time) + 1)
  const last = left.at(-1)
  return last !== undefined && time <= last.to ? [last] : left
}

/** The state of an object without a visible believed position, with the names of its attributes: others may be visible. */
function unseen(state: ObjectState | undefined): ObjectState {
  if (state === undefined) return UNSEEN
  const attributes = state.attributes.map(({ name }) => noValue(name))
  return attributes.length === 0 ? UNSEEN : { ...UNSEEN, attributes }
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
    return value === null ? noValue(name) : { name, value, at, count: 1 }
  })
}
