import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyMoment } from '../../../../testing/any-fix.ts'
import { anyFoldState } from '../../../../testing/any-fold-state.ts'
import { foldWith } from '../../../../testing/fold-with.ts'
import { recordWithoutSignalSince } from '../record.ts'
import { bareFix } from './fix.ts'
import {
  lastSignal,
  motionAt,
  type ObjectState,
  objectWithoutSignalSince,
  packNumbers,
  type StateNumbers,
  UNSEEN,
  unpackNumbers,
} from './object-state.ts'

const NOW = Date.UTC(2026, 10, 22, 12)
const HOUR_MS = 3_600_000
const TRACK = foldWith({ engineHours: null, odometer: null, mileage: null })

/** An object that was moving when its last packet was taken. */
function moving(taken: number, came: number): ObjectState {
  const track = { ...TRACK, motion: 'moving' as const }
  return { ...UNSEEN, lastFix: bareFix(taken, came, 41, 2), timeServer: came, fold: track }
}

describe('The last signal of an object', () => {
  it('is the arrival of its last packet, or the older time of its fix', () => {
    assert.equal(lastSignal(moving(NOW - HOUR_MS, NOW)), NOW - HOUR_MS)
    assert.equal(lastSignal(moving(NOW + HOUR_MS, NOW)), NOW, 'a clock that is fast')
    assert.equal(lastSignal({ ...UNSEEN, timeServer: NOW }), NOW, 'a packet without a fix')
    assert.equal(lastSignal(UNSEEN), null)
  })
})

describe('The motion of an object', () => {
  it('is that of its last packet until the timeout of its organization has passed', () => {
    for (const hours of [1, 24, 8_760]) {
      const timeoutMs = hours * HOUR_MS
      assert.equal(motionAt(moving(NOW - timeoutMs, NOW), NOW, hours), 'moving')
      assert.equal(motionAt(moving(NOW - timeoutMs - 1, NOW), NOW, hours), 'no_signal')
    }
    assert.equal(motionAt(moving(Date.UTC(2016, 1), NOW), NOW, 24), 'no_signal', 'an old import')
    assert.equal(motionAt(UNSEEN, NOW, 24), 'no_signal', 'an object that never sent')
  })

  it('is unknown if the packets do not contain it', () => {
    const untold = { ...moving(NOW, NOW), fold: { ...TRACK, motion: null } }
    assert.equal(motionAt(untold, NOW, 24), null)
    assert.equal(motionAt({ ...UNSEEN, timeServer: NOW }, NOW, 24), null, 'a packet without a fix')
  })
})

describe('An object without a signal', () => {
  it('has had none since its last one, once the timeout has passed', () => {
    const silent = moving(NOW - 6 * HOUR_MS - 1, NOW)
    assert.equal(objectWithoutSignalSince(silent, NOW, 6), NOW - 6 * HOUR_MS - 1)
    assert.equal(objectWithoutSignalSince(silent, NOW - 1, 6), null)
    assert.equal(objectWithoutSignalSince(UNSEEN, NOW, 6), null, 'an object that never sent')
  })
})

describe('An open record', () => {
  it('without a newer position has had no signal since then', () => {
    const row = { start_time: '2026-11-20T08:00:00.000Z', end_time: null, duration: 1_800 }
    const now = Date.parse('2026-11-20T14:30:00.000Z')
    assert.equal(recordWithoutSignalSince(row, now, 6), null)
    assert.equal(recordWithoutSignalSince(row, now + 1, 6), '2026-11-20T08:30:00.000Z')
    const ended = { ...row, end_time: '2026-11-20T08:30:00.000Z' }
    assert.equal(recordWithoutSignalSince(ended, now + 1, 6), null)
  })
})

const anyTime = fc.option(anyMoment, { nil: null })
const anyState: fc.Arbitrary<StateNumbers> = fc.record(
  {
    timeServer: anyTime,
    timeLastIdle: anyTime,
    timeLastMove: anyTime,
    timeLastStop: anyTime,
    fold: fc.option(anyFoldState, { nil: null }),
  },
  { noNullPrototype: true },
)

describe('A state record', () => {
  it('returns every state to the last digit, at any offset', () => {
    fc.assert(
      fc.property(anyState, fc.nat(9), (state, shift) => {
        const record = packNumbers(state)
        assert.deepEqual(unpackNumbers(record), state)
        const bytes = Buffer.concat([Buffer.alloc(shift, 0xff), record, Buffer.alloc(3, 0xff)])
        const within = bytes.subarray(shift, shift + record.length)
        assert.deepEqual(unpackNumbers(within), state)
      }),
      { numRuns: 1_000 },
    )
  })

  it('distinguishes an object with a contact from one with a track', () => {
    const { lastFix: _, address: __, attributes: ___, ...unseen } = UNSEEN
    assert.deepEqual(unpackNumbers(packNumbers(unseen)), unseen)
    const heard = { ...unseen, timeServer: 0 }
    assert.deepEqual(unpackNumbers(packNumbers(heard)), heard)
  })
})
