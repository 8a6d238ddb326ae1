import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  anyFleetObject,
  anyPosition,
  fleetObjectOf,
  type Position,
} from '../../../testing/any-fleet-object.ts'
import { exact, inUnit, millimetresIn, quotient } from '../../../testing/exact-decimal.ts'
import { anyAddition, withAddition } from '../../../testing/fix-record-addition.ts'
import { plainJson } from '../../../testing/plain-json.ts'
import { DISTANCE_UNITS, type DistanceUnit } from '../../base/domain/organization.ts'
import { bareFix, FIX_LIMITS, type Fix } from '../../base/domain/position/fix.ts'
import { DamagedRecord, FIX_RECORD, packFix } from '../../base/domain/position/fix-record.ts'
import type { Counters } from '../../base/domain/position/fold-state.ts'
import { UNSEEN } from '../../base/domain/position/object-state.ts'
import {
  allRows,
  columnsOfRecords,
  type PositionColumns,
  someLackAddress,
} from '../../base/domain/position/position-columns.ts'
import { systemClock } from '../../base/domain/time/time.ts'
import { openOfflineGeocoder } from '../../base/geocoding/offline/offline-geocoder.ts'
import type { FleetObject } from '../../data/cache/fleet-objects.ts'
import { encodeUnseenRow, positionRowEncoder } from './position-rows.ts'

const NO_COUNTERS: Counters = { engineHours: null, odometer: null, mileage: null }

describe('Position rows', () => {
  it('equal JSON.stringify of plain rows', () => {
    const some = fc.array(anyPosition, { maxLength: 12 })
    fc.assert(
      fc.property(anyFleetObject, anyUnit, some, fc.boolean(), (fleetObject, unit, all, more) => {
        const json = positionRowEncoder(fleetObject, unit)(columnsIn(all), {
          isContinued: more,
        }).toString()
        const rows = all.map((position) => plainRow(fleetObject, unit, position))
        const expected = rows.map(stringify).join(',')
        assert.equal(json, more && rows.length > 0 ? `,${expected}` : expected)
        assert.deepEqual(JSON.parse(`[${more ? json.slice(1) : json}]`), rows)
      }),
      { numRuns: 400 },
    )
  })

  it("have the geocoder's address of their coordinates if they have none", async () => {
    const geocoder = openOfflineGeocoder(systemClock, assert.fail)
    try {
      await fc.assert(
        fc.asyncProperty(anyFleetObject, anyDrive, async (fleetObject, all) => {
          const addressAt = await geocoder.known('pt')
          const encode = positionRowEncoder(fleetObject, 'km', { addressAt })
          const rows = JSON.parse(`[${encode(columnsIn(all))}]`)
          for (const [i, { fix }] of all.entries()) {
            const { state, object } = fleetObject
            const found = await geocoder.address(fix.latitude, fix.longitude, 'pt')
            const lastKnown = state.address?.value ?? object.address
            assert.equal(rows[i].address, fix.address ?? found ?? lastKnown)
          }
        }),
        { numRuns: 100 },
      )
    } finally {
      await geocoder.close()
    }
  })

  it('have room for the longest known addresses', () => {
    const fix = bareFix(0, 0, -89.9999999, -179.9999999)
    const all = Array.from({ length: 50 }, () => ({ fix, counters: NO_COUNTERS }))
    let calls = 0
    const addressAt = () => {
      calls += 1
      return `${calls}${'"'.repeat(FIX_LIMITS.addressBytes - 2)}`
    }
    const encode = positionRowEncoder(fleetObjectOf({}), 'km', { addressAt })
    const rows: { address: string }[] = JSON.parse(`[${encode(columnsIn(all))}]`)
    assert.deepEqual(
      rows.map(({ address }) => [parseInt(address, 10), address.length]),
      all.map((_, i) => [i + 1, FIX_LIMITS.addressBytes - 2 + String(i + 1).length]),
    )
  })

  it('report whether one of them lacks an address', () => {
    fc.assert(
      fc.property(fc.array(anyPosition, { maxLength: 8 }), (all) => {
        const expected = all.some(({ fix }) => fix.address === null)
        assert.equal(someLackAddress(allRows(columnsIn(all))), expected)
      }),
    )
  })

  it('do not depend on where in memory the records are', () => {
    const fix = { ...bareFix(1, 2, 3, 4), address: 'Calle "Mayor" 1' }
    const record = packFix(fix, NO_COUNTERS)
    const inside = Buffer.concat([Buffer.alloc(3, 0xff), record]).subarray(3)
    const encode = positionRowEncoder(fleetObjectOf({}), 'km')
    const apart = new Uint8Array(record.length)
    apart.set(record)
    const text = (records: Uint8Array) => encode(columnsOfRecords(records)).toString()
    assert.equal(text(inside), text(record))
    assert.equal(text(apart), text(record))
  })

  it('are not made from a record of impossible length', () => {
    const records = recordsOf([{ fix: bareFix(1, 2, 3, 4), counters: NO_COUNTERS }])
    for (const length of [0, 1, FIX_RECORD.optional - 1, records.length + 1, 65_535]) {
      records.writeUInt16LE(length, FIX_RECORD.length)
      assert.throws(() => columnsOfRecords(records), DamagedRecord, String(length))
    }
  })

  it('are the same if a later version added fields to the records', () => {
    fc.assert(
      fc.property(anyFleetObject, anyPosition, anyAddition, (fleetObject, position, added) => {
        const encode = positionRowEncoder(fleetObject, 'km')
        const record = recordsOf([position])
        const text = (records: Uint8Array) => encode(columnsOfRecords(records)).toString()
        assert.equal(text(withAddition(record, added)), text(record))
      }),
    )
  })

  it('are not made from a record of another version', () => {
    const records = recordsOf([{ fix: bareFix(1, 2, 3, 4), counters: NO_COUNTERS }])
    records[FIX_RECORD.version]! += 1
    assert.throws(() => columnsOfRecords(records), /a format that this version does not know/)
  })

  it('have room for the longest values', () => {
    const address = '\x01'.repeat(FIX_LIMITS.addressBytes)
    const longest: Fix = {
      ...bareFix(Date.UTC(9999, 11, 31), Date.UTC(9999, 11, 31), -89.9999999, -179.9999999),
      altitude: -20_999_999.99,
      angle: 359.99,
      speed: FIX_LIMITS.speed,
      address,
    }
    // Longer than any count.
    const largest = 2 ** 48 - 1
    const counters = { engineHours: largest, odometer: largest, mileage: largest }
    const bare = { ...bareFix(0, 0, -89.9999999, -179.9999999), altitude: -20_999_999.99 }
    const fleetObject = fleetObjectOf({
      id: Number.MAX_SAFE_INTEGER,
      name: '\x01'.repeat(200),
      ident: '\x01'.repeat(64),
      engineHours: FIX_LIMITS.engineHours - 0.001,
      odometer: FIX_LIMITS.odometer - 0.01,
      mileage: FIX_LIMITS.mileage - 0.01,
      address,
    })
    for (const position of [
      { fix: longest, counters },
      { fix: bare, counters: NO_COUNTERS },
    ]) {
      const rows = Array.from({ length: 50 }, () => position)
      const json = positionRowEncoder(fleetObject, 'km')(columnsIn(rows)).toString()
      assert.equal(json, rows.map((row) => stringify(plainRow(fleetObject, 'km', row))).join(','))
    }
  })

  it('convert half of a hundredth of a mile as exact arithmetic does', () => {
    // Halves that are whole millionths of a km: the odd multiples of 25 * 0.005 mi = 0.201168 km.
    const half = (n: number) => ((2 * n + 1) * 201_168) / 1e6
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(248_000_000), (slow, far) => {
        const speed = half(slow)
        const [odometer, mileage] = [far, far >> 7].map((n) => (2 * n + 1) * 201_168)
        const counters = { engineHours: null, odometer: odometer!, mileage: mileage! }
        const record = packFix({ ...bareFix(0, 0, 1, 1), speed }, counters)
        const row = JSON.parse(
          positionRowEncoder(fleetObjectOf({}), 'mi')(columnsOfRecords(record)).toString(),
        )
        assert.equal(row.speed, inUnit(speed, 'mi'), `${speed} km/h`)
        assert.equal(row.odometer, millimetresIn(odometer!, 'mi'), `${odometer} mm`)
        assert.equal(row.mileage, millimetresIn(mileage!, 'mi'), `${mileage} mm`)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('The row of an object that never had a fix', () => {
  it('has every field, null if unknown', () => {
    fc.assert(
      fc.property(anyFleetObject, anyUnit, ({ object }, unit) => {
        const json = encodeUnseenRow({ object, state: UNSEEN }, unit).toString()
        assert.equal(json, stringify(plainRow({ object, state: UNSEEN }, unit, null)))
      }),
      { numRuns: 200 },
    )
  })
})

/** As a direct implementation builds it. */
function plainRow({ object, state }: FleetObject, unit: DistanceUnit, position: Position | null) {
  const { fix, counters } = position ?? { fix: null, counters: NO_COUNTERS }
  const engineHours = counters.engineHours ?? state.fold?.engineHours ?? null
  const counted = (millimetres: number | null | undefined, own: number | null) =>
    millimetres == null ? inUnit(own, unit) : millimetresIn(millimetres, unit)
  return {
    id: object.id,
    ident: object.ident,
    name: object.name,
    latitude: fix === null ? null : fix.latitude,
    longitude: fix === null ? null : fix.longitude,
    altitude: fix === null ? null : fix.altitude,
    angle: fix === null ? null : fix.angle,
    speed: inUnit(fix?.speed ?? null, unit),
    time_server: fix === null ? null : new Date(fix.timeServer).toISOString(),
    time_device: fix === null ? null : new Date(fix.timeDevice).toISOString(),
    engine_hours:
      engineHours === null ? object.engineHours : quotient(exact(engineHours), exact(3_600_000), 3),
    odometer: counted(counters.odometer ?? state.fold?.odometer, object.odometer),
    mileage: counted(counters.mileage ?? state.fold?.mileage, object.mileage),
    address: fix?.address ?? state.address?.value ?? object.address,
  }
}

function columnsIn(positions: Position[]): PositionColumns {
  return columnsOfRecords(recordsOf(positions))
}

function recordsOf(positions: Position[]): Buffer {
  return Buffer.concat(positions.map(({ fix, counters }) => packFix(fix, counters)))
}

/** JavaScript writes numbers below a millionth with an exponent; the rows spell them out. */
function stringify(row: object): string {
  return plainJson(row)
    .replace(/:(-?)(\d)e-7(?=[,}])/g, ':$10.000000$2')
    .replace(/:(-?)(\d)\.(\d)e-7(?=[,}])/g, ':$10.000000$2$3')
}

const anyUnit = fc.constantFrom(...DISTANCE_UNITS)

/** Some positions close to each other, some elsewhere, some with an address of their own. */
const anyDrive: fc.Arbitrary<Position[]> = fc
  .tuple(
    fc.constantFrom([41.39, 2.16], [35, -110], [0, -30]),
    fc.array(fc.tuple(fc.nat(2_000), fc.nat(2_000), anyPosition), { maxLength: 40 }),
  )
  .map(([[latitude, longitude], steps]) =>
    steps.map(([north, east, { fix, counters }]) => {
      const near = {
        latitude: (latitude! * 1e5 + north) / 1e5,
        longitude: (longitude! * 1e5 + east) / 1e5,
      }
      return { fix: north % 7 === 0 ? fix : { ...fix, ...near }, counters }
    }),
  )
