import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { handedClock } from '../../testing/handed-clock.ts'
import { DAY_MS } from '../domain/time/time.ts'
import { cautiousTime } from './cautious-time.ts'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * DAY_MS
const START = Date.UTC(2026, 10, 20)

/** A clock that can be set, and the derived time. */
function open() {
  const monotonic = handedClock()
  let setBy = START - monotonic.now()
  const now = () => monotonic.now() + setBy
  const time = cautiousTime({ now, monotonic: monotonic.monotonic })
  return {
    time,
    now,
    pass: (ms: number) => monotonic.advanceUs(ms * 1_000),
    set(ms: number) {
      setBy += ms
    },
  }
}

describe('The time for irreversible tasks', () => {
  it('follows the clock as it runs, is set a little, or is set back', () => {
    const { time, now, pass, set } = open()
    for (const ms of [0, HOUR_MS, -1_000, -YEAR_MS]) {
      set(ms)
      assert.equal(time(), now())
      pass(30 * DAY_MS)
      assert.equal(time(), now())
    }
  })

  it('does not follow a clock set far ahead, until that time has held for a day', () => {
    const { time, now, pass, set } = open()
    pass(DAY_MS)
    set(YEAR_MS)
    assert.equal(time(), START + DAY_MS)
    pass(DAY_MS - 1)
    assert.equal(time(), START + 2 * DAY_MS - 1)
    pass(1)
    assert.equal(time(), now())
  })

  it('starts the day again if the clock was right meanwhile', () => {
    const { time, now, pass, set } = open()
    set(YEAR_MS)
    assert.equal(time(), START)
    pass(DAY_MS - HOUR_MS)
    set(-YEAR_MS)
    assert.equal(time(), now())
    set(YEAR_MS)
    assert.equal(time(), now() - YEAR_MS)
    pass(2 * HOUR_MS)
    assert.equal(time(), now() - YEAR_MS)
  })
})
