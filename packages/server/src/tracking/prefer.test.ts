import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { bareFix, type Fix } from '../domain/fix.ts'
import { anyFix } from '../trial/any-fix.ts'
import { prefer } from './prefer.ts'

function of(told: Partial<Fix>): Fix {
  return { ...bareFix(1_000, 2_000, 30, -97), ...told }
}

function assertPreferred(better: Partial<Fix>, other: Partial<Fix>): void {
  assert.ok(prefer(of(better), of(other)) > 0)
  assert.ok(prefer(of(other), of(better)) < 0)
}

describe('Of two fixes of one moment', () => {
  it('that of the lower HDOP stands, then that of the higher GPS level', () => {
    assertPreferred({ hdop: 0.9 }, { hdop: 1, gpsLevel: 20, speed: 90 })
    assertPreferred({ hdop: 1 }, {})
    assertPreferred({ hdop: 1, gpsLevel: 9 }, { hdop: 1, gpsLevel: 8, speed: 90 })
    assertPreferred({ gpsLevel: 0 }, {})
  })

  it('that stands which tells more, else the greater', () => {
    assertPreferred({ speed: 1, angle: 1 }, { speed: 90 })
    assertPreferred({ speed: 90, angle: 1 }, { speed: 1, angle: 359 })
    assertPreferred({ latitude: 30.1, longitude: -98 }, { latitude: 30 })
    assertPreferred({ address: 'b' }, { address: 'a' })
    assertPreferred({ address: '' }, {})
  })

  it('neither stands before the other that says the same, whenever it was received', () => {
    assert.equal(prefer(of({ speed: 5, timeServer: 9 }), of({ speed: 5 })), 0)
  })

  it('the same one stands whichever came first', () => {
    fc.assert(
      fc.property(anyAlike, anyAlike, (a, b) => {
        assert.equal(Math.sign(prefer(a, b)) + Math.sign(prefer(b, a)), 0)
        const same = { ...a, timeServer: 0 }
        assert.equal(prefer(a, same), 0)
      }),
    )
  })

  it('none that is told apart is taken for the same', () => {
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

  it('of three it is the same one whichever two meet first', () => {
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

/** Fixes of one moment that differ in little, or in nothing. */
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
