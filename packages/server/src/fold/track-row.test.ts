import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCounters, anyFix } from '../../testing/any-fix.ts'
import { anyFoldState } from '../../testing/any-fold-state.ts'
import { packFix } from '../domain/position/fix-record.ts'
import { objectShifts } from './object-shifts.ts'
import { believedSpeed } from './rules/advance.ts'
import { packRowFold, readPosition } from './stored-position.ts'
import { readTrackRow } from './track-row.ts'

describe('A row of a derivation', () => {
  it('says what the stored position says', () => {
    const anyShift = fc.record({ back: fc.integer({ min: -9, max: 9 }), odometer: fc.nat(9_999) })
    fc.assert(
      fc.property(
        anyFix,
        anyCounters,
        fc.option(anyFoldState, { nil: null }),
        fc.array(anyShift, { maxLength: 2 }),
        fc.option(fc.nat(), { nil: null }),
        (fix, counters, fold, shifts, hidden) => {
          const all = shifts
            .map(({ back, odometer }) => ({
              from: fix.timeDevice - back,
              odometer,
              engineHours: 7,
            }))
            .sort((a, b) => a.from - b.from)
          const owned = { organization: 1, object: 1, shifts: objectShifts(all) }
          const track = fold === null ? null : packRowFold({ ...fold, at: fix.timeDevice }, fix)
          const row = { fix: packFix(fix, counters), track, change: 1, hidden }
          const position = readPosition(owned, row)
          const { rowFold } = position
          assert.deepEqual(readTrackRow(owned, row), {
            time: fix.timeDevice,
            latitude: fix.latitude,
            longitude: fix.longitude,
            speed: believedSpeed(fix),
            motion: rowFold?.motion ?? null,
            isSuspect: rowFold?.suspect ?? false,
            isShown: hidden === null,
            isActive: rowFold !== null && rowFold.activeAt === fix.timeDevice,
            hasMoved: rowFold?.moved ?? false,
            odometer: position.counters.odometer,
            engineHours: position.counters.engineHours,
            address: fix.address,
          })
        },
      ),
    )
  })
})
