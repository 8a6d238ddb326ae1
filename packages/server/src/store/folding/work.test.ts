import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { atHand, atOnce, inTurn, type Work, waitFor } from './work.ts'

function* sum(a: Work<number>, b: Work<number>): Work<number> {
  return (yield* a) + (yield* b)
}

describe('Work', () => {
  it('that waits for nothing is done at once', () => {
    assert.equal(atOnce(sum(atHand(1), atHand(2))), 3)
  })

  it('that waits for something cannot be done at once', () => {
    assert.throws(() => atOnce(sum(atHand(1), waitFor(Promise.resolve(2)))), TypeError)
  })

  it('is done in turn, with what it waits for', async () => {
    const work = sum(waitFor(Promise.resolve(1)), sum(atHand(2), waitFor(Promise.resolve(3))))
    assert.equal(await inTurn(work), 6)
  })

  it('hears of what fails, and may go on', async () => {
    const failing = () => waitFor(Promise.reject<number>(new Error('gone')))
    function* onEither(): Work<number> {
      try {
        return yield* failing()
      } catch {
        return yield* waitFor(Promise.resolve(7))
      }
    }
    assert.equal(await inTurn(onEither()), 7)
    await assert.rejects(inTurn(sum(atHand(1), failing())), { message: 'gone' })
  })
})
