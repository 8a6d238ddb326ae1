import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyFix } from '../trial/any-fix.ts'
import { anyTrack } from '../trial/any-track.ts'
import { trackWith } from '../trial/track.ts'
import { bareFix, FIX_LIMITS, type Fix } from './fix.ts'
import { HOUR_MS, MICRO } from './fix-record.ts'
import type { Track } from './track.ts'
import { packTrack, type RowTrack, unpackTrack } from './track-record.ts'

const NO_COUNTERS = { odometer: null, mileage: null, engineHours: null }

describe('A track record', () => {
  it('gives back all that is kept of a track and its fix, wherever it lies', () => {
    fc.assert(
      fc.property(anyTrack, anyFix, fc.boolean(), fc.nat(9), (any, told, isBelieved, shift) => {
        const fix = { ...told, timeDevice: any.at }
        const track = isBelieved ? believing(any, fix) : any
        const record = packTrack(track, fix)
        const bytes = Buffer.concat([Buffer.alloc(shift, 0xff), record])
        assert.deepEqual(unpackTrack(record, track.at), kept(track, fix))
        assert.deepEqual(unpackTrack(bytes.subarray(shift), track.at), kept(track, fix))
        assert.deepEqual(unpackTrack(new Uint8Array(record), track.at), kept(track, fix))
      }),
      { numRuns: 1_000 },
    )
  })

  it('is a record of its own, that no later one changes', () => {
    fc.assert(
      fc.property(anyTrack, anyTrack, anyFix, (track, other, fix) => {
        const record = packTrack(track, fix)
        const before = Buffer.from(record)
        packTrack(other, fix)
        assert.deepEqual(record, before)
      }),
    )
  })

  it('is the same bytes for the same track, and others for another', () => {
    fc.assert(
      fc.property(anyTrack, anyTrack, anyFix, (a, b, fix) => {
        // As far as a record tells: the time of its row, and the counters, stand beside it.
        const other: Track = { ...b, at: a.at }
        const isSame = Buffer.compare(packTrack(a, fix), packTrack(other, fix)) === 0
        const [keptOfA, keptOfB] = [kept(a, fix), kept(other, fix)]
        assert.equal(isSame, JSON.stringify(keptOfA) === JSON.stringify(keptOfB))
        assert.deepEqual(packTrack({ ...a }, { ...fix }), packTrack(a, fix))
      }),
    )
  })

  it('of most fixes takes a few bytes', () => {
    const standing = trackWith(NO_COUNTERS)
    assert.equal(packTrack(standing, bareFix(1, 1, 1, 1)).length, 3)
    const driving: Track = { ...standing, motion: 'moving', activeAt: standing.at, tripFrom: 0 }
    assert.equal(packTrack(driving, bareFix(1, 1, 1, 1)).length, 9)
  })

  it('holds the limits of the device’s counters, and tells 0 from none', () => {
    const most = { odometer: FIX_LIMITS.odometer, engineHours: FIX_LIMITS.engineHours }
    for (const told of [most, { odometer: 0, engineHours: 0 }]) {
      const fix = { ...bareFix(1, 1, 1, 1), ...told }
      const unbelieved = unpackTrack(packTrack(trackWith(NO_COUNTERS), fix), 1)
      assert.deepEqual([unbelieved.odometer, unbelieved.engineHours], Object.values(told))
      assert.deepEqual([unbelieved.odometerReading, unbelieved.engineHoursReading], [null, null])
      const believed = unpackTrack(packTrack(believing(trackWith(NO_COUNTERS), fix), fix), 1)
      assert.equal(believed.odometerReading, told.odometer * MICRO)
      assert.equal(believed.engineHoursReading, told.engineHours * HOUR_MS)
    }
  })
})

/** With the device's counters as this fix tells them, which a record need not say twice. */
function believing(track: Track, { odometer, engineHours }: Fix): Track {
  return {
    ...track,
    odometerReading: odometer === null ? null : Math.round(odometer * MICRO),
    engineHoursReading: engineHours === null ? null : Math.round(engineHours * HOUR_MS),
  }
}

function kept(track: Track, { odometer, engineHours }: Fix): RowTrack {
  const { motion, moved, parked, running, activeAt, tripFrom } = track
  const { odometerReading, engineHoursReading } = track
  return {
    ...{ motion, moved, parked, running, activeAt, tripFrom, odometerReading, engineHoursReading },
    suspect: track.suspect !== null,
    anchorAt: track.anchor.time,
    lastAt: track.last.time,
    shownAt: track.shown.time,
    odometer,
    engineHours,
  }
}
