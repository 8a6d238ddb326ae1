import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyDecimal, anyFix, anyMoment, anyText } from '../../../testing/any-fix.ts'
import { anyFleetObject } from '../../../testing/any-fleet-object.ts'
import { exact, inUnit, millimetresIn, quotient } from '../../../testing/exact-decimal.ts'
import { plainJson } from '../../../testing/plain-json.ts'
import { ACCURACY_DEFAULTS, COUNTER_TYPES } from '../../base/domain/monitored-object.ts'
import { DISTANCE_UNITS, type DistanceUnit } from '../../base/domain/organization.ts'
import { FIX_LIMITS } from '../../base/domain/position/fix.ts'
import type { FleetObject } from '../../data/cache/fleet-objects.ts'
import { measure } from '../formats/number-format.ts'
import { encodeObject, encodeObjectDetail } from './object.ts'

describe('An encoded object', () => {
  it('equals JSON.stringify of a plain object with all fields in the documented order', () => {
    fc.assert(
      fc.property(anyObject, anyUnit, (fleetObject, unit) => {
        const item = plainItem(fleetObject, unit)
        assert.equal(encodeObject(fleetObject, unit), plainJson(item))
        assert.equal(
          encodeObjectDetail(fleetObject, unit),
          plainJson({ ...item, ...plainLocation(fleetObject, unit) }),
        )
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('A distance or a speed', () => {
  it('is converted as in exact arithmetic', () => {
    const size = fc.oneof(
      anyDecimal(FIX_LIMITS.odometer, 6),
      // Halves of a hundredth of a mile: odd multiples of 0.201168 km.
      fc.nat(1_000_000).map((n) => ((2 * n + 1) * 201_168) / 1e6),
    )
    fc.assert(
      fc.property(size, anyUnit, (km, unit) => {
        assert.equal(measure(km, unit), inUnit(km, unit))
      }),
      { numRuns: 3_000 },
    )
    assert.equal(measure(null, 'mi'), null)
  })
})

function plainItem({ object, state }: FleetObject, unit: DistanceUnit) {
  const instant = (time: number | null) => (time === null ? null : new Date(time).toISOString())
  const counted = (millimetres: number | null | undefined, own: number | null) =>
    millimetres == null ? inUnit(own, unit) : millimetresIn(millimetres, unit)
  const { fold } = state
  return {
    id: object.id,
    name: object.name,
    ident: object.ident,
    time_server: instant(state.timeServer),
    time_device: instant(state.lastFix?.timeDevice ?? null),
    time_last_idle: instant(state.timeLastIdle),
    time_last_move: instant(state.timeLastMove),
    time_last_stop: instant(state.timeLastStop),
    engine_hours:
      fold?.engineHours == null
        ? object.engineHours
        : quotient(exact(fold.engineHours), exact(3_600_000), 3),
    engine_hours_type: object.engineHoursType,
    odometer: counted(fold?.odometer, object.odometer),
    odometer_type: object.odometerType,
    vehicle_data: { vin: object.vin, plate_number: object.plateNumber },
    mileage: counted(fold?.mileage, object.mileage),
    address: state.address?.value ?? object.address,
    accuracy: {
      device_timezone: object.accuracy.deviceTimezone,
      maximum_hdop: object.accuracy.maximumHdop,
      minimum_difference_point: object.accuracy.minimumDifferencePoint,
      minimum_gps_level: object.accuracy.minimumGpsLevel,
      idle_speed_threshold: object.accuracy.idleSpeedThreshold,
      minimum_moving_speed: object.accuracy.minimumMovingSpeed,
      distance_source: object.accuracy.distanceSource,
      stop_detection_method: object.accuracy.stopDetectionMethod,
    },
    created_at: instant(object.createdAt),
  }
}

function plainLocation({ state }: FleetObject, unit: DistanceUnit) {
  const fix = state.lastFix
  return {
    latitude: fix?.latitude ?? null,
    longitude: fix?.longitude ?? null,
    altitude: fix?.altitude ?? null,
    angle: fix?.angle ?? null,
    speed: inUnit(fix?.speed ?? null, unit),
  }
}

const anyUnit = fc.constantFrom(...DISTANCE_UNITS)
const known = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })

/** Any object with settings and times that rows of positions do not show. */
const anyObject: fc.Arbitrary<FleetObject> = fc
  .record({
    fleetObject: anyFleetObject,
    settings: fc.record({
      vin: known(anyText),
      plateNumber: known(anyText),
      engineHoursType: fc.constantFrom(...COUNTER_TYPES),
      odometerType: fc.constantFrom(...COUNTER_TYPES),
      createdAt: anyMoment,
    }),
    accuracy: fc.record({
      maximumHdop: anyDecimal(655, 2),
      minimumDifferencePoint: anyDecimal(100_000, 3),
      idleSpeedThreshold: anyDecimal(1_000, 3),
      distanceSource: anyText,
    }),
    state: fc.record({
      lastFix: known(anyFix),
      timeServer: known(anyMoment),
      timeLastIdle: known(anyMoment),
      timeLastMove: known(anyMoment),
      timeLastStop: known(anyMoment),
    }),
  })
  .map(({ fleetObject: { object, state: own }, settings, accuracy, state }) => ({
    object: { ...object, ...settings, accuracy: { ...ACCURACY_DEFAULTS, ...accuracy } },
    state: { ...own, ...state },
  }))
