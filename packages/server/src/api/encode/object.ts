import type { FleetObject } from '../../catalogue/fleet.ts'
import { HOUR_MS, MICRO } from '../../domain/fix-record.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import { formatInstant } from '../../domain/time.ts'
import type { Counters } from '../../domain/track.ts'
import type { TrackedObject } from '../../domain/tracked-object.ts'
import { DECIMALS, rounded } from './decimal.ts'
import { hundredthOf, hundredths } from './unit.ts'

/** An object of a list as JSON text. */
export function encodeObject(fleetObject: FleetObject, unit: DistanceUnit): string {
  return `${openObject(fleetObject, unit)}}`
}

/** An object with details as JSON text: the list item and the current location. */
export function encodeObjectDetail(fleetObject: FleetObject, unit: DistanceUnit): string {
  const fix = fleetObject.state.lastFix
  const location =
    fix === null
      ? '"latitude":null,"longitude":null,"altitude":null,"angle":null,"speed":null'
      : `"latitude":${rounded(fix.latitude, DECIMALS.coordinate)}` +
        `,"longitude":${rounded(fix.longitude, DECIMALS.coordinate)}` +
        `,"altitude":${rounded(fix.altitude, DECIMALS.measure)}` +
        `,"angle":${rounded(fix.angle, DECIMALS.measure)}` +
        `,"speed":${measure(fix.speed, unit)}`
  return `${openObject(fleetObject, unit)},${location}}`
}

function openObject({ object, state }: FleetObject, unit: DistanceUnit): string {
  const { accuracy } = object
  const { engineHours, odometer, mileage } = countersOf(object, state.track, unit)
  return (
    `{"id":${object.id}` +
    `,"name":${JSON.stringify(object.name)}` +
    `,"ident":${JSON.stringify(object.ident)}` +
    `,"time_server":${instant(state.timeServer)}` +
    `,"time_device":${instant(state.lastFix?.timeDevice ?? null)}` +
    `,"time_last_idle":${instant(state.timeLastIdle)}` +
    `,"time_last_move":${instant(state.timeLastMove)}` +
    `,"time_last_stop":${instant(state.timeLastStop)}` +
    `,"engine_hours":${engineHours}` +
    `,"engine_hours_type":"${object.engineHoursType}"` +
    `,"odometer":${odometer}` +
    `,"odometer_type":"${object.odometerType}"` +
    `,"vehicle_data":{"vin":${JSON.stringify(object.vin)}` +
    `,"plate_number":${JSON.stringify(object.plateNumber)}}` +
    `,"mileage":${mileage}` +
    `,"address":${JSON.stringify(state.address?.value ?? object.address)}` +
    `,"accuracy":{"device_timezone":${JSON.stringify(accuracy.deviceTimezone)}` +
    `,"maximum_hdop":${accuracy.maximumHdop}` +
    `,"minimum_difference_point":${accuracy.minimumDifferencePoint}` +
    `,"minimum_gps_level":${accuracy.minimumGpsLevel}` +
    `,"idle_speed_threshold":${accuracy.idleSpeedThreshold}` +
    `,"minimum_moving_speed":${accuracy.minimumMovingSpeed}` +
    `,"distance_source":${JSON.stringify(accuracy.distanceSource)}` +
    `,"stop_detection_method":${JSON.stringify(accuracy.stopDetectionMethod)}}` +
    `,"created_at":${instant(object.createdAt)}`
  )
}

/** Counters as answers show them. The object's own ones if its fixes have none. */
export function countersOf(
  object: TrackedObject,
  counters: Counters | null,
  unit: DistanceUnit,
): Record<'engineHours' | 'odometer' | 'mileage', number | null> {
  const { engineHours = null, odometer = null, mileage = null } = counters ?? {}
  return {
    engineHours: rounded(
      engineHours === null ? object.engineHours : engineHours / HOUR_MS,
      DECIMALS.engineHours,
    ),
    odometer: odometer === null ? measure(object.odometer, unit) : distance(odometer, unit),
    mileage: mileage === null ? measure(object.mileage, unit) : distance(mileage, unit),
  }
}

function distance(millimetres: number, unit: DistanceUnit): number {
  return hundredths(millimetres, hundredthOf(unit)) / 100
}

/** km or km/h in the organization's unit, with the precision of a fix record. */
export function measure(value: number | null, unit: DistanceUnit): number | null {
  return value === null ? null : hundredths(Math.round(value * MICRO), hundredthOf(unit)) / 100
}

function instant(time: number | null): string {
  return time === null ? 'null' : `"${formatInstant(time)}"`
}
