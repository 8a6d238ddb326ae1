import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NOT_FAILED, type RecordTask } from '../store/record-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import { isPermanent, retries } from './retries.ts'

const MINUTE_MS = 60_000
const failedAt = (at: number): RecordTask => ({
  ...{ kind: 'object', id: 7, after: 0 },
  ...{ failedAt: at, error: 'RangeError: a fault' },
})

describe('A task that failed', () => {
  it('is tried again after pauses that double up to an hour, and is new once', () => {
    let now = 0
    const retried = retries(() => now)
    assert.equal(retried.dueInMs(), null)
    assert.deepEqual(retried.note([failedAt(1)]), [failedAt(1)])
    const pauses: number[] = []
    for (let failures = 2; failures < 10; failures += 1) {
      const pause = retried.dueInMs()!
      pauses.push(pause / MINUTE_MS)
      now += pause - 1
      assert.equal(retried.mayTry(failedAt(failures - 1), false), false)
      now += 1
      assert.equal(retried.mayTry(failedAt(failures - 1), false), true)
      assert.deepEqual(retried.note([failedAt(failures)]), [])
    }
    assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 60, 60])
  })

  it('is tried again a minute after the last attempt if its object changes', () => {
    let now = 0
    const retried = retries(() => now)
    for (const at of [1, 2, 3, 4]) retried.note([failedAt(at)])
    now += MINUTE_MS - 1
    assert.equal(retried.mayTry(failedAt(4), true), false)
    assert.equal(retried.dueInMs(), 1)
    now += 1
    assert.equal(retried.mayTry(failedAt(4), false), true)
  })

  it('is tried at once by a process that did not try it', () => {
    assert.equal(retries(() => 0).mayTry(failedAt(1), false), true)
  })

  it('is forgotten when it is done, not while it is tried in several slices', () => {
    const retried = retries(() => 0)
    retried.note([failedAt(1)])
    retried.note([{ ...failedAt(1), ...NOT_FAILED }])
    assert.equal(retried.failed(), 1)
    retried.note([])
    assert.deepEqual([retried.failed(), retried.dueInMs()], [0, null])
  })
})

describe('A permanent failure', () => {
  it('is a fault of the data or the program, not an outage or a refused statement', () => {
    assert.ok(isPermanent(new RangeError('Maximum call stack size exceeded')))
    assert.ok(isPermanent(Object.assign(new RangeError(), { code: 'ERR_OUT_OF_RANGE' })))
    assert.ok(isPermanent(new Error('a fault')))
    assert.ok(!isPermanent(new StoreUnavailable('down')))
    assert.ok(!isPermanent(Object.assign(new Error(), { code: '40001' })))
  })
})
