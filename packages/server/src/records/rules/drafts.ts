import type { DerivedRecord, Stop, Trip, TripPoint, Visit } from '../../domain/record.ts'
import type { TrackRow } from '../../fold/track-row.ts'
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
export function openDrafts({ segment, previous, basis, visits }: Progress): Draft[] {
  const drafts: Draft[] = visits.map((visit) => visitDraft(visit, null))
  if (segment?.kind === 'trip') drafts.push(openTripDraft(segment, basis, previous!))
  else if (segment?.kind === 'stop') drafts.push(stopDraft(segment, previous!.time, false))
  return drafts
}

export function tripDraft(trip: OpenTrip, basis: number | null, end: TrackRow): Draft {
  return { record: tripOf(trip, trip.sums, basis, end, true), checkpoint: null, owner: trip }
}

function openTripDraft(trip: OpenTrip, basis: number | null, newest: TrackRow): Draft {
  const { sums, candidate } = trip
  const all = { ...sums }
  if (candidate !== null) addSums(all, candidate.since)
  return { record: tripOf(trip, all, basis, newest, false), checkpoint: null, owner: trip }
}

function tripOf(
  { from }: OpenTrip,
  sums: Sums,
  basis: number | null,
  last: TrackRow,
  isOver: boolean,
): Trip {
  const { maxSpeed, movingTime } = sums
  return {
    kind: 'trip',
    start: from.time,
    end: isOver ? last.time : null,
    until: last.time,
    from,
    to: isOver ? tripPoint(last) : null,
    distance: minus(last.odometer, basis),
    movingTime,
    maxSpeed: maxSpeed < 0 ? null : maxSpeed,
    ...segmentSums(sums),
  }
}

export function tripPoint(row: TrackRow, place: TrackRow = row): TripPoint {
  const { time, odometer, engineHours } = row
  const { latitude, longitude, address } = place
  return { time, latitude, longitude, address, odometer, engineHours }
}

export function stopDraft(stop: OpenStop, until: number, isOver: boolean): Draft {
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
  return { record, checkpoint, owner: stop }
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
