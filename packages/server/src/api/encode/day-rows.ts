import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import { formatDate, formatInstant } from '../../domain/time/time.ts'
import type { CounterSpan, ObjectDay } from '../../reports/days/object-day.ts'
import type { Row } from './formats/row-form.ts'
import { counterDifference, distance, hoursOf, measure, seconds } from './numbers.ts'

/** A day of an object as a row, with the documented fields in the documented order. */
export function dayRow(
  day: ObjectDay,
  { ident, name }: Pick<MonitoredObject, 'ident' | 'name'>,
  unit: DistanceUnit,
): Row {
  const { odometer, engineHours } = day
  const odometerOf = (value: number | null) => (value === null ? null : distance(value, unit))
  const engineHoursOf = (value: number | null) => (value === null ? null : hoursOf(value))
  return {
    ...{ object_id: day.object, ident, name },
    date: formatDate(day.day),
    distance: counterDifference(differenceOf(odometer), unit),
    trips: day.trips,
    moving_time: seconds(day.movingTime),
    idle_time: seconds(day.idleTime),
    stopped_time: seconds(day.stoppedTime),
    first_time: formatInstant(day.first),
    last_time: formatInstant(day.last),
    max_speed: measure(day.maxSpeed, unit),
    start_odometer: odometerOf(odometer.start),
    end_odometer: odometerOf(odometer.end),
    start_engine_hours: engineHoursOf(engineHours.start),
    end_engine_hours: engineHoursOf(engineHours.end),
    positions: day.positions,
  }
}

/** Null without a counter. */
export function differenceOf({ start, end }: CounterSpan): number | null {
  return start === null || end === null ? null : end - start
}
