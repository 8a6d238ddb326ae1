import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import type { ObjectState } from '../../domain/position/object-state.ts'
import type { DerivedRecord, Stop, Trip, TripPoint, Visit } from '../../domain/record.ts'
import { formatInstant } from '../../domain/time/time.ts'
import type { OwnedRecord } from '../../store/record-store.ts'
import type { Geometry } from './formats/geojson.ts'
import {
  counterDifference,
  DECIMALS,
  distance,
  hoursOf,
  measure,
  rounded,
  seconds,
} from './numbers.ts'

/** The surroundings of records: the parts of a row that are not in the record. */
export type RecordContext = {
  readonly unit: DistanceUnit
  object(id: number): Pick<MonitoredObject, 'ident' | 'name'>
  /** The address of a position that brought none, as history rows show it. */
  addressAt(object: number, latitude: number, longitude: number): string | null
  /** Null if the place was deleted, and its visits are about to go. */
  placeName(placeType: Visit['placeType'], place: number): string | null
  /** Where a place is. Null as its name. */
  placeGeometry?(placeType: Visit['placeType'], place: number): Geometry | null
}

/** The address of a position that brought none: the known one of its place, or the last known one of its object. */
export function addressOr(
  known: string | null,
  object: Pick<MonitoredObject, 'address'>,
  state: Pick<ObjectState, 'address'> | undefined,
): string | null {
  return known ?? state?.address?.value ?? object.address
}

/** A record as JSON text, with the documented fields in the documented order. */
export function encodeRecord(owned: OwnedRecord, context: RecordContext): string {
  return JSON.stringify(recordRow(owned, context))
}

export function recordRow(owned: OwnedRecord, context: RecordContext): object {
  const { id, object, revision, updatedAt, record } = owned
  const { ident, name } = context.object(object)
  return {
    ...{ id, object_id: object, ident, name },
    ...fieldsOf(record, object, context),
    open: record.end === null,
    revision,
    updated_at: formatInstant(updatedAt),
  }
}

function fieldsOf(record: DerivedRecord, object: number, context: RecordContext): object {
  if (record.kind === 'trip') return tripFields(record, object, context)
  return record.kind === 'stop' ? stopFields(record, object, context) : visitFields(record, context)
}

function tripFields(trip: Trip, object: number, context: RecordContext): object {
  const { from, to, movingTime, idleTime, maxSpeed, positions, longestGap } = trip
  const { unit } = context
  const duration = trip.until - trip.start
  return {
    ...endFields('start', from, object, context),
    ...endFields('end', to, object, context),
    distance: counterDifference(trip.distance, unit),
    duration: seconds(duration),
    moving_time: seconds(movingTime),
    idle_time: seconds(idleTime),
    max_speed: measure(maxSpeed, unit),
    average_speed: averageSpeed(trip.distance, duration, unit),
    positions,
    longest_gap: seconds(longestGap),
  }
}

function endFields(
  end: 'start' | 'end',
  point: TripPoint | null,
  object: number,
  context: RecordContext,
): object {
  const { odometer = null, engineHours = null } = point ?? {}
  return {
    [`${end}_time`]: point && formatInstant(point.time),
    [`${end}_latitude`]: point && degrees(point.latitude),
    [`${end}_longitude`]: point && degrees(point.longitude),
    [`${end}_address`]: point && addressOf(point, object, context),
    [`${end}_odometer`]: odometer === null ? null : distance(odometer, context.unit),
    [`${end}_engine_hours`]: engineHours === null ? null : hoursOf(engineHours),
  }
}

function stopFields(stop: Stop, object: number, context: RecordContext): object {
  return {
    start_time: formatInstant(stop.start),
    end_time: instantOf(stop.end),
    latitude: degrees(stop.latitude),
    longitude: degrees(stop.longitude),
    address: addressOf(stop, object, context),
    duration: seconds(stop.until - stop.start),
    idle_time: seconds(stop.idleTime),
    positions: stop.positions,
    longest_gap: seconds(stop.longestGap),
    geofence_ids: stop.geofences,
    site_ids: stop.sites,
  }
}

function visitFields(visit: Visit, { unit, placeName }: RecordContext): object {
  return {
    place_type: visit.placeType,
    place_id: visit.place,
    place_name: placeName(visit.placeType, visit.place),
    start_time: formatInstant(visit.start),
    end_time: instantOf(visit.end),
    before_time: instantOf(visit.before),
    after_time: instantOf(visit.after),
    duration: seconds(visit.until - visit.start),
    distance: counterDifference(visit.distance, unit),
    positions: visit.positions,
  }
}

function addressOf(
  { address, latitude, longitude }: Pick<TripPoint, 'address' | 'latitude' | 'longitude'>,
  object: number,
  { addressAt }: RecordContext,
): string | null {
  return address ?? addressAt(object, latitude, longitude)
}

function instantOf(time: number | null): string | null {
  return time === null ? null : formatInstant(time)
}

function degrees(value: number): number | null {
  return rounded(value, DECIMALS.coordinate)
}

const KMH_PER_MM_PER_MS = 3.6

function averageSpeed(
  millimetres: number | null,
  duration: number,
  unit: DistanceUnit,
): number | null {
  if (millimetres === null || duration === 0) return null
  return measure((Math.max(0, millimetres) / duration) * KMH_PER_MM_PER_MS, unit)
}
