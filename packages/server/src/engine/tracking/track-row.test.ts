import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyFixWithAttributes, NAMES } from '../../../testing/any-attributes.ts'
import { anyCounters } from '../../../testing/any-fix.ts'
import { anyFoldState } from '../../../testing/any-fold-state.ts'
import { anyAddition, withAddition } from '../../../testing/fix-record-addition.ts'
import { rowBlock } from '../../../testing/records/row-block.ts'
import { type Attribute, byName } from '../../base/domain/position/attribute.ts'
import type { Fix } from '../../base/domain/position/fix.ts'
import { FIX_RECORD, packFix } from '../../base/domain/position/fix-record.ts'
import { objectShifts } from './object-shifts.ts'
import { believedSpeed } from './rules/not-driving.ts'
import { isRefuted } from './rules/repeats.ts'
import { type PositionRow, packRowFold, type RowFold, readPosition } from './stored-position.ts'
import { readTrackRows, type TrackRow } from './track-row.ts'

const anyRows: fc.Arbitrary<PositionRow[]> = fc
  .uniqueArray(
    fc.tuple(
      anyFixWithAttributes,
      anyCounters,
      anyFoldState,
      anyAddition,
      fc.option(fc.nat(), { nil: null }),
    ),
    {
      selector: ([{ timeDevice }]) => timeDevice,
      maxLength: 9,
    },
  )
  .map((rows) =>
    rows
      .sort(([a], [b]) => a.timeDevice - b.timeDevice)
      .map(([fix, counters, fold, added, hidden]) => ({
        fix: withAddition(packFix(fix, counters, undefined, NAMES), added),
        track: packRowFold({ ...fold, at: fix.timeDevice }, fix),
        change: 1,
        hidden,
      })),
  )
const anyShifts = fc.array(
  fc.record({ row: fc.nat(9), back: fc.integer({ min: -9, max: 9 }), odometer: fc.nat(9_999) }),
  { maxLength: 4 },
)

describe('A block of rows', () => {
  it('says what the stored positions say', () => {
    fc.assert(
      fc.property(anyRows, anyShifts, (rows, shifts) => {
        const times = rows.map((row) => timeOf(row))
        const all = shifts
          .map(({ row, back, odometer }) => {
            return { from: (times[row] ?? 9) - back, odometer, engineHours: 7 }
          })
          .sort((a, b) => a.from - b.from)
        const owned = { organization: 1, object: 1, shifts: objectShifts(all), names: NAMES }
        const expected = rows.map((row) => {
          const { fix, rowFold, counters, hidden } = readPosition(owned, row)
          return {
            time: fix.timeDevice,
            latitude: fix.latitude,
            longitude: fix.longitude,
            speed: isSpeedUnknown(rowFold, fix) ? null : believedSpeed(fix),
            motion: rowFold.motion,
            isOff: rowFold.motion === 'stopped' && fix.ignition === false,
            isSuspect: rowFold.suspect,
            joins: rowFold.joins,
            anchorAt: rowFold.anchorAt,
            silence: rowFold.silence,
            isShown: hidden === null,
            isActive: rowFold.activeAt === fix.timeDevice,
            hasMoved: rowFold.moved,
            odometer: counters.odometer,
            engineHours: counters.engineHours,
            address: fix.address,
            attributes: fix.attributes,
          }
        })
        const read = readTrackRows(rowBlock(rows), all).map(({ attributes, ...row }) => ({
          ...row,
          attributes: attributes && named(attributes),
        }))
        assert.deepEqual(read, expected)
      }),
    )
  })

  it('is refused if a row has another version of the form', () => {
    fc.assert(
      fc.property(anyRows, fc.nat(), (rows, place) => {
        fc.pre(rows.length > 0)
        rows[place % rows.length]!.fix[FIX_RECORD.version]! += 1
        assert.throws(
          () => readTrackRows(rowBlock(rows), []),
          /a format that this version does not/,
        )
      }),
    )
  })
})

function timeOf(row: PositionRow): number {
  const owned = { organization: 1, object: 1, shifts: objectShifts([]), names: NAMES }
  return readPosition(owned, row).fix.timeDevice
}

function named(read: NonNullable<TrackRow['attributes']>): Attribute[] {
  const attributes: Attribute[] = []
  read((index, value) => attributes.push({ name: NAMES[index]!.name, value }))
  return attributes.sort(byName)
}

function isSpeedUnknown({ doubtedAt, lastAt, repeats }: RowFold, { timeDevice: at }: Fix): boolean {
  return doubtedAt === at || (lastAt === at && isRefuted(repeats, at))
}
