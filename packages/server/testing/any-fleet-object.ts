import fc from 'fast-check'
import { type MonitoredObject, OBJECT_DEFAULTS } from '../src/base/domain/monitored-object.ts'
import { FIX_LIMITS, type Fix } from '../src/base/domain/position/fix.ts'
import { type FixMarks, RECORD_MOTIONS } from '../src/base/domain/position/fix-record.ts'
import type { Counters } from '../src/base/domain/position/fold-state.ts'
import { UNSEEN } from '../src/base/domain/position/object-state.ts'
import type { FleetObject } from '../src/data/cache/fleet-objects.ts'
import { anyCounters, anyDecimal, anyFix, anyText, known } from './any-fix.ts'
import { foldWith } from './fold-with.ts'

export type Position = { fix: Fix; counters: Counters } & Partial<FixMarks>

export const anyPosition: fc.Arbitrary<Required<Position>> = fc.record({
  fix: anyFix,
  counters: anyCounters,
  motion: fc.constantFrom(null, ...RECORD_MOTIONS),
  isLate: fc.boolean(),
})

const hours = known(anyDecimal(FIX_LIMITS.engineHours, 3))
const distance = known(anyDecimal(FIX_LIMITS.odometer, 6))

export const anyFleetObject: fc.Arbitrary<FleetObject> = fc
  .record({
    id: fc.maxSafeNat(),
    settings: fc.record({
      name: anyText,
      ident: anyText,
      engineHours: hours,
      odometer: distance,
      mileage: distance,
      address: known(anyText),
    }),
    state: fc.record({
      fold: known(anyCounters.map(foldWith)),
      address: known(anyText.map((value) => ({ value, at: 1 }))),
    }),
  })
  .map(({ id, settings, state }) => ({
    object: fleetObjectOf({ id, ...settings }).object,
    state: { ...UNSEEN, ...state },
  }))

export function fleetObjectOf(settings: Partial<MonitoredObject>): FleetObject {
  const object: MonitoredObject = {
    ...OBJECT_DEFAULTS,
    id: 7,
    organization: 1,
    name: 'Van',
    ident: '356307042441013',
    createdAt: 0,
    updatedAt: 0,
    ...settings,
  }
  return { object, state: UNSEEN }
}
