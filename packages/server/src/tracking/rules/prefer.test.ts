import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyFix } from '../../../testing/any-fix.ts'
import { bareFix, type Fix } from '../../domain/position/fix.ts'
import { prefer } from './prefer.ts'

function of(fields: Partial<Fix>): Fix {
  return { ...bareFix(1_000, 2_000, 30, -97), ...fields }
}

function assertPreferred(better: Partial<Fix>, other: Partial<Fix>): void {
  assert.ok(prefer(of(better), of(other)) > 0)
  assert.ok(prefer(of(other), of(better)) < 0)
}

describe('The choice between two fixes of one moment', () => {
  it('prefers the lower HDOP, then the better accuracy, then the higher GPS level', () => {
    assertPreferred({ hdop: 1 }, { hdop: 2, accuracy: 3 })
    assertPreferred({ accuracy: 3 }, { accuracy: 4, gpsLevel: 20 })
    assertPreferred({ hdop: 0.9 }, { hdop: 1, gpsLevel: 20, speed: 90 })
    assertPreferred({ hdop: 1 }, {})
    assertPreferred({ hdop: 1, gpsLevel: 9 }, { hdop: 1, gpsLevel: 8, speed: 90 })
    assertPreferred({ gpsLevel: 0 }, {})
  })

  it('prefers the one with more values, else the greater', () => {
    assertPreferred({ speed: 1, angle: 1 }, { speed: 90 })
    assertPreferred({ speed: 90, angle: 1 }, { speed: 1, angle: 359 })
    assertPreferred({ latitude: 30.1, longitude: -98 }, { latitude: 30 })
    assertPreferred({ address: 'b' }, { address: 'a' })
    assertPreferred({ address: '' }, {})
    assertPreferred({}, { corrected: true })
  })

  it('prefers neither of two equal fixes, whenever they arrived', () => {
    assert.equal(prefer(of({ speed: 5, timeServer: 9 }), of({ speed: 5 })), 0)
  })

  it('does not depend on the order of arrival', () => {
    fc.assert(
      fc.property(anyAlike, anyAlike, (a, b) => {
        assert.equal(Math.sign(prefer(a, b)) + Math.sign(prefer(b, a)), 0)
        const same = { ...a, timeServer: 0 }
        assert.equal(prefer(a, same), 0)
      }),
    )
  })

  it('treats fixes with any difference as different', () => {
    fc.assert(
      fc.property(anyAlike, anyAlike, (a, b) => {
        const isSame = Object.keys(a).every(
          (field) => field === 'timeServer' || a[field as 'speed'] === b[field as 'speed'],
        )
        assert.equal(prefer(a, b) === 0, isSame)
      }),
      { numRuns: 2_000 },
    )
  })

  it('among three does not depend on the order of the comparisons', () => {
    fc.assert(
      fc.property(anyAlike, anyAlike, anyAlike, (a, b, c) => {
        const winner = (x: Fix, y: Fix) => (prefer(x, y) >= 0 ? x : y)
        const first = winner(winner(a, b), c)
        assert.equal(prefer(first, winner(a, winner(b, c))), 0)
        assert.equal(prefer(first, winner(winner(c, a), b)), 0)
        if (prefer(a, b) >= 0 && prefer(b, c) >= 0) assert.ok(prefer(a, c) >= 0)
      }),
      { numRuns: 2_000 },
    )
  })
})

/** Fixes of one moment with few or no differences. */
const few = <T>(...values: T[]) => fc.constantFrom(null, ...values)
const anyAlike: fc.Arbitrary<Fix> = fc.oneof(
  fc
    .record({
      timeServer: fc.nat(3),
      latitude: fc.constantFrom(30, 30.1),
      longitude: fc.constantFrom(0, -97),
      altitude: few(-5, 0),
      angle: few(0),
      speed: few(0, 20),
      engineHours: few(0, 1),
      odometer: few(0, 5),
      hdop: few(0, 1),
      gpsLevel: few(0, 9),
      ignition: few(true, false),
      address: few('', 'a', 'b'),
    })
    .map(of),
  anyFix.map((fix) => ({ ...fix, timeDevice: 1_000 })),
)
