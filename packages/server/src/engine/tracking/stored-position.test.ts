import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyFix } from '../../../testing/any-fix.ts'
import { anyFoldState } from '../../../testing/any-fold-state.ts'
import { foldWith } from '../../../testing/fold-with.ts'
import { bareFix, FIX_LIMITS, type Fix } from '../../base/domain/position/fix.ts'
import {
  FIX_FLAG,
  FIX_RECORD_LIMIT,
  flagsAt,
  MICRO,
} from '../../base/domain/position/fix-record.ts'
import type { FoldState } from '../../base/domain/position/fold-state.ts'
import { HOUR_MS } from '../../base/domain/time/time.ts'
import { NO_SHIFTS } from './object-shifts.ts'
import { packRowFold, type RowFold, unpackRowFold, writePosition } from './stored-position.ts'

const NO_COUNTERS = { odometer: null, mileage: null, engineHours: null }

describe('The record of a position', () => {
  it('shows no motion of a fix that is not believed', () => {
    const [fix, believed] = [bareFix(1, 1, 1, 1), foldWith(NO_COUNTERS)]
    const suspect = { time: 1, latitude: 1, longitude: 1 }
    const isKnown = (fold: FoldState) => {
      const out = Buffer.alloc(FIX_RECORD_LIMIT)
      const owned = { organization: 1, object: 1, shifts: NO_SHIFTS, names: [] }
      writePosition(out, owned, fix, { fold, hidden: false }, false)
      return (flagsAt(out, 0) & FIX_FLAG.motionKnown) !== 0
    }
    assert.deepEqual([isKnown(believed), isKnown({ ...believed, suspect })], [true, false])
  })
})

describe('A packed fold state', () => {
  it('returns a track and its fix, at any offset', () => {
    fc.assert(
      fc.property(
        anyFoldState,
        anyFix,
        fc.boolean(),
        fc.nat(9),
        (any, given, isBelieved, shift) => {
          const fix = { ...given, timeDevice: any.at }
          const fold = isBelieved ? believing(any, fix) : any
          const record = packRowFold(fold, fix)
          const bytes = Buffer.concat([Buffer.alloc(shift, 0xff), record])
          assert.deepEqual(unpackRowFold(record, fold.at), kept(fold, fix))
          assert.deepEqual(unpackRowFold(bytes.subarray(shift), fold.at), kept(fold, fix))
          assert.deepEqual(unpackRowFold(new Uint8Array(record), fold.at), kept(fold, fix))
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('is independent of later records', () => {
    fc.assert(
      fc.property(anyFoldState, anyFoldState, anyFix, (fold, other, fix) => {
        const record = packRowFold(fold, fix)
        const before = Buffer.from(record)
        packRowFold(other, fix)
        assert.deepEqual(record, before)
      }),
    )
  })

  it('has equal bytes for equal fold states only', () => {
    fc.assert(
      fc.property(anyFoldState, anyFoldState, anyFix, (a, b, fix) => {
        // Without the time of the row and the counters, which are stored with it.
        const other: FoldState = { ...b, at: a.at }
        const isSame = Buffer.compare(packRowFold(a, fix), packRowFold(other, fix)) === 0
        const [keptOfA, keptOfB] = [kept(a, fix), kept(other, fix)]
        assert.equal(isSame, JSON.stringify(keptOfA) === JSON.stringify(keptOfB))
        assert.deepEqual(packRowFold({ ...a }, { ...fix }), packRowFold(a, fix))
      }),
    )
  })

  it('takes a few bytes for most fixes', () => {
    const still = foldWith(NO_COUNTERS)
    assert.equal(packRowFold(still, bareFix(1, 1, 1, 1)).length, 3)
    const driving: FoldState = { ...still, motion: 'moving', activeAt: still.at, tripFrom: 0 }
    assert.equal(packRowFold(driving, bareFix(1, 1, 1, 1)).length, 9)
    const counting = { ...bareFix(1, 1, 1, 1), odometer: 7 }
    const grown = { value: 7 * MICRO, grewAt: still.at, doubted: null, before: null }
    assert.equal(packRowFold({ ...still, odometerReading: grown }, counting).length, 10)
  })

  it('holds the limits of the device’s counters, and distinguishes 0 from none', () => {
    const most = { odometer: FIX_LIMITS.odometer, engineHours: FIX_LIMITS.engineHours }
    for (const given of [most, { odometer: 0, engineHours: 0 }]) {
      const fix = { ...bareFix(1, 1, 1, 1), ...given }
      const unbelieved = unpackRowFold(packRowFold(foldWith(NO_COUNTERS), fix), 1)
      assert.deepEqual([unbelieved.odometer, unbelieved.engineHours], Object.values(given))
      assert.deepEqual([unbelieved.odometerReading, unbelieved.engineHoursReading], [null, null])
      const believed = unpackRowFold(packRowFold(believing(foldWith(NO_COUNTERS), fix), fix), 1)
      assert.equal(believed.odometerReading?.value, given.odometer * MICRO)
      assert.equal(believed.engineHoursReading?.value, given.engineHours * HOUR_MS)
    }
  })
})

/** With readings of the device's counters that this fix has, which a record need not repeat. */
function believing(fold: FoldState, { odometer, engineHours, timeDevice: at }: Fix): FoldState {
  const believed = (value: number | null) =>
    value === null ? null : { value, grewAt: at, doubted: { value, at }, before: null }
  return {
    ...fold,
    odometerReading: believed(odometer === null ? null : Math.round(odometer * MICRO)),
    engineHoursReading: believed(engineHours === null ? null : Math.round(engineHours * HOUR_MS)),
  }
}

function kept(fold: FoldState, { odometer, engineHours }: Fix): RowFold {
  const { motion, moved, parked, running, activeAt, tripFrom } = fold
  const { odometerReading, engineHoursReading, silence, doubtedAt, repeats } = fold
  return {
    ...{ motion, moved, parked, running, activeAt, tripFrom, odometerReading, engineHoursReading },
    ...{ silence, doubtedAt, repeats, group: fold.group },
    startAt: fold.start?.time ?? null,
    originAt: fold.origin?.time ?? null,
    suspect: fold.suspect !== null,
    joins: fold.joins,
    anchorAt: fold.anchor.time,
    lastAt: fold.last.time,
    shownAt: fold.shown.time,
    odometer,
    engineHours,
  }
}
