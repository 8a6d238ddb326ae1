import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { trackWith } from '../trial/track.ts'
import { bareFix } from './fix.ts'
import { type ObjectState, UNSEEN } from './object-state.ts'
import { lastSignal, motionAt } from './signal.ts'

const NOW = Date.UTC(2026, 10, 22, 12)
const HOUR = 3_600_000

/** An object that moved when its last packet was taken. */
function moving(taken: number, came: number): ObjectState {
  const counters = { engineHours: null, odometer: null, mileage: null }
  const track = { ...trackWith(counters), motion: 'moving' as const }
  return { ...UNSEEN, lastFix: bareFix(taken, came, 41, 2), timeServer: came, track }
}

describe('The last signal of an object', () => {
  it('is when its packet came, or when that was taken, where that is older', () => {
    assert.equal(lastSignal(moving(NOW - HOUR, NOW)), NOW - HOUR)
    assert.equal(lastSignal(moving(NOW + HOUR, NOW)), NOW, 'a clock that is fast')
    assert.equal(lastSignal({ ...UNSEEN, timeServer: NOW }), NOW, 'a packet without a fix')
    assert.equal(lastSignal(UNSEEN), null)
  })

  it('tells for 24 hours how it moves', () => {
    assert.equal(motionAt(moving(NOW - 24 * HOUR, NOW), NOW), 'moving')
    assert.equal(motionAt(moving(NOW - 24 * HOUR - 1, NOW), NOW), null)
    assert.equal(motionAt(moving(Date.UTC(2016, 1), NOW), NOW), null, 'an import of ten years ago')
    assert.equal(motionAt(UNSEEN, NOW), null)
  })
})
