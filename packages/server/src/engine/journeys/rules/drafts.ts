import { MICRO } from '../../../base/domain/position/fix-record.ts'
import {
  averageSpeed,
  type DerivedRecord,
  keyOf,
  type Stop,
  type Trip,
  type TripPoint,
  type Visit,
} from '../../../base/domain/record.ts'
import { MAX_SPEED_KMH } from '../../tracking/rules/not-driving.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import {
  addSums,
  highestSpeed,
  type OpenStop,
  type OpenTrip,
  type OpenVisit,
  type Owner,
  type Progress,
  type Sums,
  segmentSums,
} from './progress.ts'
import { packCheckpoint } from './progress-form.ts'

/** A record as it is derived, before it is compared with the stored ones. */
export type Draft = {
  readonly record: DerivedRecord
  /** As in `StoredRecord`. */
  readonly checkpoint: Uint8Array | null
  /** The open record that it was drafted from. */
  readonly owner: Owner
}

/** The records that are under way, as of the newest row. */
export function openDrafts(progress: Progress): Draft[] {
  const { segment, previous, basis, unbelieved, visits } = progress
  const drafts: Draft[] = visits.map((visit) => visitDraft(visit, null))
  if (segment === null) return drafts
  const all = { ...segment.sums }
  if (segment.kind === 'trip' && segment.candidate !== null) addSums(all, segment.candidate.since)
  if (unbelieved !== null) addSums(all, { ...unbelieved, maxSpeed: -1 })
  drafts.push(
    segment.kind === 'trip'
      ? openTripDraft(segment, all, basis, previous!)
      : stopDraft({ ...segment, sums: all }, previous!.time, false, segment),
  )
  return drafts
}

export function tripDraft(trip: OpenTrip, basis: number | null, end: TrackRow): Draft {
  return { record: tripOf(trip, trip.sums, basis, end, true), checkpoint: null, owner: trip }
}

function openTripDraft(trip: OpenTrip, sums: Sums, basis: number | null, newest: TrackRow): Draft {
  return { record: tripOf(trip, sums, basis, newest, false), checkpoint: null, owner: trip }
}

/** `owner`: an open trip that began at `from` and had no leg, or a new one. */
export function silentTripDraft(
  from: TrackRow,
  sums: Sums,
  basis: number | null,
  to: TrackRow,
  owner: Owner,
): Draft {
  const record = tripOf({ from: tripPoint(from) }, sums, basis, to, true)
  return { record, checkpoint: null, owner }
}

function tripOf(
  { from }: Pick<OpenTrip, 'from'>,
  sums: Sums,
  basis: number | null,
  last: TrackRow,
  isOver: boolean,
): Trip {
  const { movingTime, silentTime } = sums
  const distance = minus(last.odometer, basis)
  return {
    kind: 'trip',
    start: from.time,
    end: isOver ? last.time : null,
    until: last.time,
    from,
    to: isOver ? tripPoint(last) : null,
    distance,
    movingTime,
    silentTime,
    maxSpeed: maxSpeedOf(sums, averageSpeed({ start: from.time, until: last.time, distance })),
    ...segmentSums(sums),
  }
}

/** Never below the average. Trackers report their speeds now and then. */
function maxSpeedOf(sums: Sums, average: number | null): number | null {
  const highest = highestSpeed(sums)
  if (!average || average <= (highest ?? 0)) return highest
  // A record has whole millionths.
  return Math.min(Math.ceil(average * MICRO) / MICRO, MAX_SPEED_KMH)
}

export function tripPoint(row: TrackRow, place: TrackRow = row): TripPoint {
  const { time, odometer, engineHours } = row
  const { latitude, longitude, address } = place
  return { time, latitude, longitude, address, odometer, engineHours }
}

export function stopDraft(
  stop: OpenStop,
  until: number,
  isOver: boolean,
  owner: Owner = stop,
): Draft {
  const { checkpoint, sums } = stop
  const { row, visits } = checkpoint
  const within = visits.filter(({ inside }) => inside === row.time)
  const ids = (type: Visit['placeType']) =>
    within
      .filter(({ placeType }) => placeType === type)
      .map(({ place }) => place)
      .sort((a, b) => a - b)
  const record: Stop = {
    kind: 'stop',
    start: row.time,
    end: isOver ? until : null,
    until,
    latitude: row.latitude,
    longitude: row.longitude,
    address: row.address,
    geofences: ids('geofence'),
    sites: ids('site'),
    ...segmentSums(sums),
  }
  return { record, checkpoint: packCheckpoint(checkpoint), owner }
}

/** `after` is null while the visit is under way. */
export function visitDraft(visit: OpenVisit, after: number | null): Draft {
  const { placeType, place, start, before, inside } = visit
  const record: Visit = {
    kind: 'visit',
    placeType,
    place,
    start,
    end: after === null ? null : inside,
    until: inside,
    before,
    after,
    distance: minus(visit.insideOdometer, visit.startOdometer),
    positions: visit.insidePositions,
  }
  return { record, checkpoint: null, owner: visit }
}

function minus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a - b
}

type Recorded = { readonly record: DerivedRecord }

/**
 * Pairs stored records with derived ones of the same kind and place, so that ids stay: those with the same
 * start, then those that overlap longest.
 */
export function matched<Old extends Recorded, New extends Recorded>(
  old: readonly Old[],
  derived: readonly New[],
): Map<New, Old> {
  const pairs = new Map<New, Old>()
  const groups = groupsOf(derived)
  for (const [group, olds] of groupsOf(old)) matchGroup(pairs, olds, groups.get(group) ?? [])
  return pairs
}

function groupsOf<T extends Recorded>(all: readonly T[]): Map<string, T[]> {
  return Map.groupBy(all, ({ record }) => {
    const { kind, place } = keyOf(record)
    return `${kind} ${place}`
  })
}

function matchGroup<Old extends Recorded, New extends Recorded>(
  pairs: Map<New, Old>,
  old: readonly Old[],
  derived: readonly New[],
): void {
  const byStart = new Map(old.map((each) => [each.record.start, each]))
  const leftOld = new Set(old)
  const leftNew: New[] = []
  for (const each of derived) {
    const same = byStart.get(each.record.start)
    if (same === undefined) {
      leftNew.push(each)
      continue
    }
    pairs.set(each, same)
    leftOld.delete(same)
  }
  for (const { a, b } of overlaps([...leftOld], leftNew)) {
    if (!leftOld.has(a) || pairs.has(b)) continue
    pairs.set(b, a)
    leftOld.delete(a)
  }
}

/** The pairs that overlap or touch, the longest overlap first. Records of a group hardly overlap each other. */
function overlaps<Old extends Recorded, New extends Recorded>(old: Old[], derived: New[]) {
  const found: { a: Old; b: New; length: number }[] = []
  const olds = old.sort(byStart)
  let first = 0
  for (const b of derived.sort(byStart)) {
    while (first < olds.length && olds[first]!.record.until < b.record.start) first += 1
    for (let at = first; at < olds.length; at += 1) {
      const a = olds[at]!
      if (a.record.start > b.record.until) break
      const until = Math.min(a.record.until, b.record.until)
      found.push({ a, b, length: until - Math.max(a.record.start, b.record.start) })
    }
  }
  return found.sort((x, y) => y.length - x.length || byStart(x.a, y.a) || byStart(x.b, y.b))
}

function byStart(a: Recorded, b: Recorded): number {
  return a.record.start - b.record.start
}
