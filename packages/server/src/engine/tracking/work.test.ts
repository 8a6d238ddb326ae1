import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { atHand, runAtOnce, runAwaiting, type Work, waitFor } from './work.ts'

function* sum(a: Work<number>, b: Work<number>): Work<number> {
  return (yield* a) + (yield* b)
}

describe('Work', () => {
  it('without a wait completes at once', () => {
    assert.equal(runAtOnce(sum(atHand(1), atHand(2))), 3)
  })

  it('with a wait cannot complete at once', () => {
    assert.throws(() => runAtOnce(sum(atHand(1), waitFor(Promise.resolve(2)))), TypeError)
  })

  it('runs in order with its waits', async () => {
    const work = sum(waitFor(Promise.resolve(1)), sum(atHand(2), waitFor(Promise.resolve(3))))
    assert.equal(await runAwaiting(work), 6)
  })

  it('can catch a failure, and continue', async () => {
    const failing = () => waitFor(Promise.reject<number>(new Error('gone')))
    function* onEither(): Work<number> {
      try {
        return yield* failing()
      } catch {
        return yield* waitFor(Promise.resolve(7))
      }
    }
    assert.equal(await runAwaiting(onEither()), 7)
    await assert.rejects(runAwaiting(sum(atHand(1), failing())), { message: 'gone' })
  })
})
