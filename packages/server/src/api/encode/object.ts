import type { FleetObject } from '../../cache/fleet-objects.ts'
import type { AttributeEntry } from '../../domain/attributes/catalogue.ts'
import { plainNumber, toJson } from '../../domain/common/json.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import { formatInstant } from '../../domain/time/time.ts'
import { van } from '../documentation/examples.ts'
import { type AttributeForm, attributeMembers } from '../formats/position-form.ts'
import { countersOf, DECIMALS, degrees, measure, rounded } from './numbers.ts'
import { currentAttributes } from './row-attributes.ts'
import type { RowKind } from './rows.ts'

/** An object of a list as JSON text. */
export function encodeObject(fleetObject: FleetObject, unit: DistanceUnit): string {
  return `${openObject(fleetObject, unit)}}`
}

/**
 * Objects as lists have them, without a position. The columns are the fields of the documented example, which has all
 * of them in the order of rows.
 */
export function objectKind(unit: DistanceUnit): RowKind<FleetObject> {
  return {
    columns: Object.keys(van).flatMap((field) =>
      field === 'vehicle_data' ? Object.keys(van.vehicle_data) : [field],
    ),
    json: (object) => encodeObject(object, unit),
    row(object) {
      const { vehicle_data, ...row } = JSON.parse(encodeObject(object, unit))
      return { ...row, ...vehicle_data }
    },
  }
}

/** An object with details as JSON text: the list item, the current location, and the attributes if there is a form. */
export function encodeObjectDetail(
  fleetObject: FleetObject,
  unit: DistanceUnit,
  attributes?: AttributeForm,
): string {
  const location = locationOf(fleetObject, unit)
  return `${openObject(fleetObject, unit)},${location}${endOf(fleetObject, attributes)}`
}

/** The form of the current attributes of an object or a state. */
export function currentForm(entries: readonly AttributeEntry[]): AttributeForm {
  return attributeMembers({ entries, isCurrent: true }, '}')
}

/** The end of an object, after its current attributes if there is a form. */
function endOf({ state }: FleetObject, form: AttributeForm | undefined): string {
  return form === undefined ? '}' : form.text(currentAttributes(form.entries, state.attributes))
}

/** The current state of an object as JSON text: what positions change of its details. */
export function encodeState(
  fleetObject: FleetObject,
  unit: DistanceUnit,
  attributes?: AttributeForm,
): string {
  const { object, state } = fleetObject
  const { engineHours, odometer, mileage } = countersOf(object, state.fold, unit)
  return (
    `{"id":${object.id},${timesOf(fleetObject)}` +
    `,"engine_hours":${engineHours},"odometer":${odometer},"mileage":${mileage}` +
    `,"address":${toJson(state.address?.value ?? object.address)}` +
    `,${locationOf(fleetObject, unit)}${endOf(fleetObject, attributes)}`
  )
}

function locationOf({ state: { lastFix: fix } }: FleetObject, unit: DistanceUnit): string {
  return fix === null
    ? '"latitude":null,"longitude":null,"altitude":null,"angle":null,"speed":null'
    : `"latitude":${plainNumber(degrees(fix.latitude))}` +
        `,"longitude":${plainNumber(degrees(fix.longitude))}` +
        `,"altitude":${rounded(fix.altitude, DECIMALS.measure)}` +
        `,"angle":${rounded(fix.angle, DECIMALS.measure)}` +
        `,"speed":${measure(fix.speed, unit)}`
}

function timesOf({ state }: FleetObject): string {
  return (
    `"time_server":${instant(state.timeServer)}` +
    `,"time_device":${instant(state.lastFix?.timeDevice ?? null)}` +
    `,"time_last_idle":${instant(state.timeLastIdle)}` +
    `,"time_last_move":${instant(state.timeLastMove)}` +
    `,"time_last_stop":${instant(state.timeLastStop)}`
  )
}

function openObject(fleetObject: FleetObject, unit: DistanceUnit): string {
  const { object, state } = fleetObject
  const { accuracy } = object
  const { engineHours, odometer, mileage } = countersOf(object, state.fold, unit)
  return (
    `{"id":${object.id}` +
    `,"name":${toJson(object.name)}` +
    `,"ident":${toJson(object.ident)}` +
    `,${timesOf(fleetObject)}` +
    `,"engine_hours":${engineHours}` +
    `,"engine_hours_type":"${object.engineHoursType}"` +
    `,"odometer":${odometer}` +
    `,"odometer_type":"${object.odometerType}"` +
    `,"vehicle_data":{"vin":${toJson(object.vin)}` +
    `,"plate_number":${toJson(object.plateNumber)}}` +
    `,"mileage":${mileage}` +
    `,"address":${toJson(state.address?.value ?? object.address)}` +
    `,"accuracy":{"device_timezone":${toJson(accuracy.deviceTimezone)}` +
    `,"maximum_hdop":${accuracy.maximumHdop}` +
    `,"minimum_difference_point":${accuracy.minimumDifferencePoint}` +
    `,"minimum_gps_level":${accuracy.minimumGpsLevel}` +
    `,"idle_speed_threshold":${accuracy.idleSpeedThreshold}` +
    `,"minimum_moving_speed":${accuracy.minimumMovingSpeed}` +
    `,"distance_source":${toJson(accuracy.distanceSource)}` +
    `,"stop_detection_method":${toJson(accuracy.stopDetectionMethod)}}` +
    `,"created_at":${instant(object.createdAt)}`
  )
}

function instant(time: number | null): string {
  return time === null ? 'null' : `"${formatInstant(time)}"`
}
