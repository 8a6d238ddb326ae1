import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { handedClock } from '../../testing/handed-clock.ts'
import { hours } from '../../testing/hours.ts'
import { DAY_MS } from '../domain/time/time.ts'
import { StoreUnavailable } from '../store/store.ts'
import { startChangesRetention } from './changes-retention.ts'

const NOW = Date.UTC(2026, 10, 20)
const HOUR_MS = 3_600_000

describe('The retention of changes', () => {
  it('deletes what is older than the days, slice by slice, at once and every hour', async () => {
    const clock = handedClock(NOW * 1000)
    const asked: number[] = []
    const slices = [true, true, false, false]
    const { wait, passed } = hours(1, clock)
    const purge = async (before: number) => {
      asked.push(before)
      return slices.shift()!
    }
    const retention = startChangesRetention(
      { purge },
      30,
      clock,
      (error) => assert.fail(String(error)),
      wait,
    )
    await passed
    await retention.stop()
    const first = NOW - 30 * DAY_MS
    assert.deepEqual(asked, [first, first, first, first + HOUR_MS + 40])
  })

  it('tells of a failure, and tries again in the next hour', async () => {
    const clock = handedClock(NOW * 1000)
    const { wait, passed } = hours(1, clock)
    const failures: unknown[] = []
    let calls = 0
    const purge = async () => {
      calls += 1
      if (calls === 1) throw new StoreUnavailable('down')
      return false
    }
    const retention = startChangesRetention({ purge }, 1, clock, (e) => failures.push(e), wait)
    await passed
    await retention.stop()
    assert.equal(failures.length, 1)
    assert.equal(calls, 2)
  })
})
