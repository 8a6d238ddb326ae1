import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyFix } from '../../../../testing/any-fix.ts'
import { bareFix, FIX_LIMITS, type Fix, type FixFault, fixFault } from './fix.ts'

const NOW = Date.UTC(2026, 10, 20)
const DAY_MS = 86_400_000
const fix = (more: Partial<Fix>): Fix => ({ ...bareFix(NOW, NOW, 41.4, 2.2), ...more })

const FAULTS: [FixFault | undefined, Partial<Fix>][] = [
  [undefined, {}],
  [undefined, { timeDevice: 0, timeServer: 0 }],
  ['bad_time', { timeDevice: -1 }],
  ['bad_time', { timeDevice: 0.5 }],
  ['bad_time', { timeDevice: Number.NaN }],
  ['bad_time', { timeDevice: Number.POSITIVE_INFINITY }],
  ['bad_time', { timeServer: -1 }],
  ['bad_time', { timeServer: Number.NaN }],
  // Years in answers have four digits.
  [undefined, { timeServer: Date.UTC(9999, 11, 31, 23, 59, 59, 999) }],
  ['bad_time', { timeServer: Date.UTC(10_000, 0, 1) }],
  [undefined, { timeDevice: NOW + DAY_MS }],
  ['in_future', { timeDevice: NOW + DAY_MS + 1 }],
  [undefined, { latitude: 90, longitude: 180 }],
  [undefined, { latitude: -90, longitude: -180 }],
  ['out_of_range', { latitude: 90.0000001 }],
  ['out_of_range', { longitude: -180.0000001 }],
  ['out_of_range', { latitude: Number.NaN }],
  ['out_of_range', { longitude: Number.NaN }],
  ['no_fix', { latitude: 0, longitude: 0 }],
  ['no_fix', { latitude: -0, longitude: 0 }],
  [undefined, { latitude: 0 }],
  [undefined, { longitude: 0 }],
  [undefined, { altitude: -FIX_LIMITS.altitude }],
  ['out_of_range', { altitude: -FIX_LIMITS.altitude - 1 }],
  ['out_of_range', { altitude: Number.NaN }],
  [undefined, { address: 'é'.repeat(FIX_LIMITS.addressBytes / 2) }],
  ['out_of_range', { address: `${'é'.repeat(FIX_LIMITS.addressBytes / 2)}!` }],
]

describe('The fault of a fix', () => {
  it('has a name', () => {
    for (const [fault, more] of FAULTS) {
      assert.equal(fixFault(fix(more), NOW), fault, JSON.stringify(more))
    }
  })

  it('includes every value that its record cannot hold', () => {
    for (const field of [
      'angle',
      'speed',
      'engineHours',
      'odometer',
      'hdop',
      'gpsLevel',
    ] as const) {
      assert.equal(fixFault(fix({ [field]: 0 }), NOW), undefined, field)
      assert.equal(fixFault(fix({ [field]: FIX_LIMITS[field] }), NOW), undefined, field)
      for (const value of [-0.01, FIX_LIMITS[field] + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
        assert.equal(fixFault(fix({ [field]: value }), NOW), 'out_of_range', `${field} ${value}`)
      }
    }
  })

  it('is undefined if a vehicle can have the value', () => {
    fc.assert(
      fc.property(anyFix, (any) => {
        fc.pre(any.latitude !== 0 || any.longitude !== 0)
        assert.equal(fixFault(any, Date.UTC(2100, 0, 1)), undefined)
      }),
    )
  })
})
