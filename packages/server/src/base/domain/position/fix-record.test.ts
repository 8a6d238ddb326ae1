import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyFixWithAttributes, NAMES } from '../../../../testing/any-attributes.ts'
import { anyCounters, anyFix } from '../../../../testing/any-fix.ts'
import { exact, quotient } from '../../../../testing/exact-decimal.ts'
import { anyAddition, withAddition } from '../../../../testing/fix-record-addition.ts'
import { HOUR_MS } from '../time/time.ts'
import { bareFix, FIX_LIMITS, type Fix } from './fix.ts'
import {
  asStored,
  FIX_RECORD,
  MICRO,
  packFix,
  readCounters,
  unpackFix,
  writeCounters,
} from './fix-record.ts'
import type { Counters } from './fold-state.ts'

const LIMITS: Fix = { ...bareFix(2 ** 47, 2 ** 47, -90, 180), ...onlyFixFields(), address: 'a' }
const NONE: Counters = { engineHours: null, odometer: null, mileage: null }
const LARGEST: Counters = {
  engineHours: FIX_LIMITS.engineHours * HOUR_MS,
  odometer: FIX_LIMITS.odometer * MICRO,
  mileage: FIX_LIMITS.mileage * MICRO,
}

describe('A fix record', () => {
  it('returns every fix and its counters to the last digit, at any offset', () => {
    const positions = fc.array(fc.tuple(anyFix, anyCounters), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(positions, fc.nat(9), (all, shift) => {
        const packed = all.map(([fix, counters]) => packFix(fix, counters))
        const records = Buffer.concat([Buffer.alloc(shift, 0xff), ...packed])
        let at = shift
        for (const [index, [fix, counters]] of all.entries()) {
          assert.deepEqual(unpackFix(records, at), recorded(fix))
          assert.deepEqual(unpackFix(new Uint8Array(records).subarray(at)), recorded(fix))
          assert.deepEqual(readCounters(records, at), counters)
          at += packed[index]!.length
        }
        assert.equal(at, records.length)
      }),
      { numRuns: 300 },
    )
  })

  it('returns all attributes and what is before them, by the names of their object', () => {
    fc.assert(
      fc.property(anyFixWithAttributes, anyCounters, fc.nat(9), (fix, counters, shift) => {
        const packed = packFix(fix, counters, undefined, NAMES)
        const records = Buffer.concat([Buffer.alloc(shift, 0xff), packed, Buffer.alloc(3, 0xff)])
        assert.deepEqual(unpackFix(records, shift, NAMES), recorded(fix))
        assert.deepEqual(unpackFix(records, shift), recorded({ ...fix, attributes: null }))
        assert.deepEqual(readCounters(records, shift), counters)
        const bare = packFix({ ...fix, attributes: null }, counters)
        if (fix.attributes === null) assert.deepEqual(packed, bare)
      }),
      { numRuns: 300 },
    )
  })

  it('has no attribute that its object does not name', () => {
    const attributes = [{ name: 'fuel', value: 1 }]
    const fix = { ...bareFix(1, 1, 1, 1), attributes }
    const record = packFix(fix, NONE, undefined, [{ name: 'other' }, { name: 'fuel' }])
    assert.throws(() => packFix(fix, NONE, undefined, [{ name: 'other' }]), RangeError)
    assert.throws(() => unpackFix(record, 0, [{ name: 'other' }]), /an attribute without a name/)
  })

  it('holds the limits of every field', () => {
    for (const fix of [LIMITS, { ...LIMITS, altitude: -FIX_LIMITS.altitude, longitude: -180 }]) {
      const record = packFix(fix, LARGEST)
      assert.deepEqual(unpackFix(record), recorded(fix))
      assert.deepEqual(readCounters(record), LARGEST)
    }
  })

  it('is refused if it has another version of the form', () => {
    const record = packFix(LIMITS, NONE)
    record[FIX_RECORD.version]! += 1
    assert.throws(() => unpackFix(record), /a format that this version does not know/)
  })

  it('is read past fields that a later version added', () => {
    fc.assert(
      fc.property(anyFix, anyCounters, anyAddition, (fix, counters, added) => {
        const record = withAddition(packFix(fix, counters), added)
        assert.deepEqual(unpackFix(record), recorded(fix))
        assert.deepEqual(readCounters(record), counters)
      }),
    )
  })

  it('rejects an address that is too long', () => {
    const longest = 'é'.repeat(FIX_LIMITS.addressBytes / 2)
    assert.equal(unpackFix(packFix({ ...LIMITS, address: longest }, NONE)).address, longest)
    assert.throws(() => packFix({ ...LIMITS, address: `${longest}!` }, NONE), RangeError)
  })

  it('distinguishes an empty address from none, off from unknown, and zero from both', () => {
    for (const address of ['', null]) {
      assert.equal(unpackFix(packFix({ ...LIMITS, address }, NONE)).address, address)
    }
    for (const ignition of [true, false, null]) {
      assert.equal(unpackFix(packFix({ ...LIMITS, ignition }, NONE)).ignition, ignition)
    }
    const unknown = bareFix(1, 1, 1, 1)
    assert.equal(packFix(unknown, NONE).length, FIX_RECORD.optional)
    for (const field of ['altitude', 'angle', 'speed', 'hdop', 'gpsLevel'] as const) {
      const zero = { ...unknown, [field]: 0 }
      assert.deepEqual(unpackFix(packFix(zero, NONE)), zero)
    }
    const zeros = { engineHours: 0, odometer: 0, mileage: 0 }
    assert.deepEqual(readCounters(packFix(unknown, zeros)), zeros)
    assert.deepEqual(readCounters(packFix(unknown, NONE)), NONE)
  })

  it('accepts new counters, as if it had been written with them', () => {
    fc.assert(
      fc.property(anyFix, anyCounters, anyCounters, fc.nat(9), (fix, was, is, shift) => {
        const records = Buffer.concat([Buffer.alloc(shift, 0xff), packFix(fix, was)])
        writeCounters(records, is, shift)
        const expected = Buffer.concat([Buffer.alloc(shift, 0xff), packFix(fix, is)])
        assert.deepEqual(records, expected)
      }),
    )
  })

  it('rounds by decimal digits, halves away from zero', () => {
    const scales = { altitude: 2, angle: 2, hdop: 2, speed: 6 } as const
    const coordinates = { latitude: 7, longitude: 7 } as const
    fc.assert(
      fc.property(fc.nat(30_000), fc.boolean(), (digits, isNegative) => {
        for (const [field, decimals] of Object.entries(scales)) {
          const value = half(digits, decimals)
          const read = unpackFix(packFix({ ...LIMITS, [field]: value }, NONE))
          const expected = quotient(exact(value), exact(1), decimals)
          assert.equal(read[field as 'altitude'], expected, `${field} ${value}`)
        }
        for (const [field, decimals] of Object.entries(coordinates)) {
          const value = half(digits * 7_001, decimals) * (isNegative ? -1 : 1)
          const read = unpackFix(packFix({ ...LIMITS, [field]: value }, NONE))
          const expected = quotient(exact(value), exact(1), decimals)
          assert.equal(read[field as 'latitude'], expected, `${field} ${value}`)
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('A stored fix', () => {
  it('consists of its record, and the device’s own counters in mm and ms', () => {
    const any = fc.double({ min: 0, max: 600, noNaN: true })
    const fields = fc.record({
      latitude: fc.double({ min: -90, max: 90, noNaN: true }),
      longitude: fc.double({ min: -180, max: 180, noNaN: true }),
      altitude: fc.double({ min: -20_000_000, max: 20_000_000, noNaN: true }),
      angle: fc.double({ min: 0, max: 360, noNaN: true }),
      speed: any,
      hdop: any,
      gpsLevel: fc.double({ min: 0, max: 255, noNaN: true }),
    })
    fc.assert(
      fc.property(anyFix, fields, (fix, more) => {
        const stored = asStored({ ...fix, ...more })
        assert.deepEqual(unpackFix(packFix({ ...fix, ...more }, NONE)), recorded(stored))
      }),
    )
    fc.assert(
      fc.property(fc.nat(30_000), (digits) => {
        const odometer = half(digits, 6)
        const stored = asStored({ ...LIMITS, odometer, engineHours: digits / 3_600_000 })
        assert.equal(stored.odometer, quotient(exact(odometer), exact(1), 6), `${odometer} km`)
        assert.equal(Math.round(stored.engineHours! * HOUR_MS), digits)
      }),
    )
  })

  it('equals the original if that has no more digits than the record', () => {
    fc.assert(
      fc.property(anyFix, (fix) => {
        assert.deepEqual(asStored(fix), fix)
      }),
    )
  })

  it('does not change when stored again', () => {
    const any = fc.double({ min: 0, max: 180, noNaN: true })
    const fields = fc.record({
      ...{ latitude: any, longitude: any, altitude: any, angle: any, speed: any, hdop: any },
      ...{ gpsLevel: any, odometer: any, engineHours: any },
    })
    fc.assert(
      fc.property(anyFix, fields, (fix, more) => {
        const stored = asStored({ ...fix, ...more })
        assert.deepEqual(asStored(stored), stored)
      }),
    )
  })
})

/** The part of a fix in its record: the device's own counters are stored elsewhere. */
function recorded(fix: Fix): Fix {
  return { ...fix, engineHours: null, odometer: null }
}

/** A value of these digits exactly between two stored values. */
function half(digits: number, decimals: number): number {
  return Number(`${digits}5e-${decimals + 1}`)
}

function onlyFixFields() {
  const { addressBytes: _, mileage: __, ...fields } = FIX_LIMITS
  return fields
}
