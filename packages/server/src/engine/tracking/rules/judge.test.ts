import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyFix } from '../../../../testing/any-fix.ts'
import { vehicle } from '../../../../testing/drive-trial.ts'
import type { Accuracy } from '../../../base/domain/monitored-object.ts'
import { bareFix, type Fix } from '../../../base/domain/position/fix.ts'
import {
  type ClockSettings,
  clockFault,
  correctedTime,
  judge,
  prefer,
  REJECT_REASONS,
  type RejectCode,
} from './judge.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

function judged(fields: Partial<Fix>, accuracy: Partial<Accuracy> = {}): RejectCode | undefined {
  return judge(vehicle(accuracy), { ...bareFix(NOW, NOW, 30, -97), ...fields }, NOW)
}

describe('A fix', () => {
  it('is rejected for its HDOP above the object’s maximum', () => {
    assert.equal(judged({ hdop: 10 }), undefined)
    assert.equal(judged({ hdop: 10.001 }), 'hdop_above_maximum')
    assert.equal(judged({ hdop: 2.1 }, { maximumHdop: 2 }), 'hdop_above_maximum')
    assert.equal(judged({ accuracy: 200 }), undefined)
    assert.equal(judged({ accuracy: 200.01 }), 'accuracy_above_maximum')
    assert.equal(judged({ accuracy: 11 }, { maximumAccuracy: 10 }), 'accuracy_above_maximum')
  })

  it('is rejected for its GPS level below the object’s minimum', () => {
    assert.equal(judged({ gpsLevel: 0 }), undefined)
    assert.equal(judged({ gpsLevel: 4 }, { minimumGpsLevel: 4 }), undefined)
    assert.equal(judged({ gpsLevel: 3 }, { minimumGpsLevel: 4 }), 'gps_level_below_minimum')
  })

  it('is not rejected for an unknown quality', () => {
    assert.equal(judged({}, { maximumHdop: 0, minimumGpsLevel: 255 }), undefined)
  })

  it('is rejected for its place: 0,0, or outside the globe', () => {
    assert.equal(judged({ latitude: 0, longitude: 0 }), 'no_fix')
    assert.equal(judged({ latitude: 0, longitude: 0.0000001 }), undefined)
    assert.equal(judged({ latitude: 90.1 }), 'out_of_range')
    assert.equal(judged({ longitude: -180.1 }), 'out_of_range')
    assert.equal(judged({ latitude: Number.NaN }), 'out_of_range')
  })

  it('is rejected for its time more than a day ahead', () => {
    assert.equal(judged({ timeDevice: NOW + DAY }), undefined)
    assert.equal(judged({ timeDevice: NOW + DAY + 1 }), 'in_future')
    assert.equal(judged({ timeDevice: -1 }), 'bad_time')
    assert.equal(judged({ timeDevice: 0 }), undefined)
  })

  it('is rejected for invalid values before poor quality', () => {
    assert.equal(judged({ latitude: 0, longitude: 0, hdop: 99 }), 'no_fix')
  })

  it('is rejected with a sentence for each reason', () => {
    const fields = [
      judged({ hdop: 11 }),
      judged({ gpsLevel: 0 }, { minimumGpsLevel: 1 }),
      judged({ latitude: 91 }),
      judged({ latitude: 0, longitude: 0 }),
      judged({ timeDevice: NOW * 2 }),
      judged({ timeDevice: 0.5 }),
    ]
    assert.equal(new Set(fields).size, 6)
    for (const reason of fields) assert.ok(REJECT_REASONS[reason!])
  })
})

const WEEK = 7 * DAY
const settings: ClockSettings = { futureTolerance: 10, maximumAge: 365, correctRollover: true }

describe('The time of a live fix', () => {
  it('is at most some minutes ahead, and at most some days old', () => {
    const faults = [10 * MINUTE, 10 * MINUTE + 1, -365 * DAY, -365 * DAY - 1].map((after) =>
      clockFault(settings, NOW + after, NOW),
    )
    assert.deepEqual(faults, [undefined, 'in_future', undefined, 'implausible_past'])
    assert.equal(
      clockFault({ ...settings, futureTolerance: 60 }, NOW + 60 * MINUTE, NOW),
      undefined,
    )
    assert.equal(clockFault({ ...settings, maximumAge: 1 }, NOW - 2 * DAY, NOW), 'implausible_past')
  })

  it('is corrected by one or two rollovers of the week number, if that makes it plausible', () => {
    for (const [rollovers, weeksAgo, corrected] of [
      [1, 0, true],
      [2, 0, true],
      [3, 0, false],
      [1, 52, true],
      [1, 53, false],
      [1, -1, false],
    ] as const) {
      const time = NOW - weeksAgo * WEEK
      const expected = corrected ? time : undefined
      const sent = time - rollovers * 1_024 * WEEK
      assert.equal(correctedTime(settings, sent, NOW), expected, `${rollovers} ${weeksAgo}`)
    }
  })

  it('stays if it is plausible, or if the organization corrects nothing', () => {
    assert.equal(correctedTime(settings, NOW - 364 * DAY, NOW), undefined)
    const off = { ...settings, correctRollover: false }
    assert.equal(correctedTime(off, NOW - 1_024 * WEEK, NOW), undefined)
  })
})

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
