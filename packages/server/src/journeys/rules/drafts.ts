import type { DerivedRecord, Stop, Trip, TripPoint, Visit } from '../../domain/record.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import type { Checkpoint, OpenStop, OpenTrip, OpenVisit, Owner, Progress } from './progress.ts'
import { addSums, type Sums, segmentSums } from './sums.ts'

/** A record as it is derived, before it is compared with the stored ones. */
export type Draft = {
  readonly record: DerivedRecord
  /** The checkpoint of a stop. Null for the others. */
  readonly checkpoint: Checkpoint | null
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
  if (unbelieved !== null) addSums(all, unbelieved)
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
  const { maxSpeed, movingTime, silentTime } = sums
  return {
    kind: 'trip',
    start: from.time,
    end: isOver ? last.time : null,
    until: last.time,
    from,
    to: isOver ? tripPoint(last) : null,
    distance: minus(last.odometer, basis),
    movingTime,
    silentTime,
    maxSpeed: maxSpeed < 0 ? null : maxSpeed,
    ...segmentSums(sums),
  }
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
  return { record, checkpoint, owner }
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
