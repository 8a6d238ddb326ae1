import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyFix } from '../trial/any-fix.ts'
import { exact, quotient } from '../trial/exact-decimal.ts'
import { bareFix, FIX_LIMITS, type Fix } from './fix.ts'
import { FIX_RECORD, packFix, sameFix, unpackFix } from './fix-record.ts'

const LIMITS: Fix = { ...bareFix(2 ** 47, 2 ** 47, -90, 180), ...FIX_LIMITS, address: 'a' }

describe('A fix record', () => {
  it('gives back every fix to its last digit, wherever it lies', () => {
    fc.assert(
      fc.property(fc.array(anyFix, { minLength: 1, maxLength: 5 }), fc.nat(9), (fixes, shift) => {
        const records = Buffer.concat([Buffer.alloc(shift, 0xff), ...fixes.map(packFix)])
        let at = shift
        for (const fix of fixes) {
          assert.deepEqual(unpackFix(records, at), fix)
          assert.deepEqual(unpackFix(new Uint8Array(records).subarray(at)), fix)
          at += packFix(fix).length
        }
        assert.equal(at, records.length)
      }),
      { numRuns: 300 },
    )
  })

  it('holds the limits of every field', () => {
    for (const fix of [LIMITS, { ...LIMITS, altitude: -FIX_LIMITS.altitude, longitude: -180 }]) {
      const { addressBytes: _, ...read } = { ...fix, addressBytes: 0 }
      assert.deepEqual(unpackFix(packFix(read)), read)
    }
  })

  it('refuses an address that is longer than it can say', () => {
    const longest = 'é'.repeat(FIX_LIMITS.addressBytes / 2)
    assert.equal(unpackFix(packFix({ ...LIMITS, address: longest })).address, longest)
    assert.throws(() => packFix({ ...LIMITS, address: `${longest}!` }), RangeError)
  })

  it('tells an empty address from none, and off from unknown', () => {
    for (const address of ['', null]) {
      assert.equal(unpackFix(packFix({ ...LIMITS, address })).address, address)
    }
    for (const ignition of [true, false, null]) {
      assert.equal(unpackFix(packFix({ ...LIMITS, ignition })).ignition, ignition)
    }
  })

  it('rounds by the digits as they are written, halves away from zero', () => {
    const scales = { altitude: 2, angle: 2, hdop: 2, speed: 6, odometer: 6, mileage: 6 } as const
    const coordinates = { latitude: 7, longitude: 7 } as const
    const half = (size: number, decimals: number) => Number(`${size}5e-${decimals + 1}`)
    fc.assert(
      fc.property(fc.nat(30_000), fc.boolean(), (digits, isNegative) => {
        for (const [field, decimals] of Object.entries(scales)) {
          const value = half(digits, decimals)
          const read = unpackFix(packFix({ ...LIMITS, [field]: value }))[field as 'altitude']
          assert.equal(read, quotient(exact(value), exact(1), decimals), `${field} ${value}`)
        }
        for (const [field, decimals] of Object.entries(coordinates)) {
          const value = half(digits * 7_001, decimals) * (isNegative ? -1 : 1)
          const read = unpackFix(packFix({ ...LIMITS, [field]: value }))[field as 'latitude']
          assert.equal(read, quotient(exact(value), exact(1), decimals), `${field} ${value}`)
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('Two fix records are the same', () => {
  it('whenever the server heard of them', () => {
    fc.assert(
      fc.property(anyFix, fc.nat(), (fix, timeServer) => {
        assert.ok(sameFix(packFix(fix), packFix({ ...fix, timeServer })))
      }),
    )
  })

  it('only where all else is', () => {
    const fix: Fix = { ...LIMITS, ignition: true, address: 'Calle 1' }
    const others: Partial<Fix>[] = [
      { timeDevice: fix.timeDevice + 1 },
      { latitude: fix.latitude + 1e-7 },
      { longitude: fix.longitude - 1e-7 },
      { ignition: false },
      { ignition: null },
      { address: 'Calle 2' },
      { address: 'Calle 11' },
      { address: '' },
      { address: null },
      ...(
        ['altitude', 'angle', 'speed', 'engineHours', 'odometer', 'mileage', 'hdop'] as const
      ).flatMap((field) => [{ [field]: fix[field]! - 0.01 }, { [field]: null }, { [field]: 0 }]),
      { gpsLevel: 254 },
      { gpsLevel: null },
    ]
    for (const other of others) {
      const differs = packFix({ ...fix, ...other })
      assert.ok(!sameFix(packFix(fix), differs), JSON.stringify(other))
      assert.ok(!sameFix(differs, packFix(fix)), JSON.stringify(other))
    }
  })

  it('not where zero stands for unknown', () => {
    const unknown = bareFix(1, 1, 1, 1)
    assert.ok(!sameFix(packFix(unknown), packFix({ ...unknown, speed: 0 })))
    assert.equal(packFix(unknown).length, FIX_RECORD.address)
  })
})
