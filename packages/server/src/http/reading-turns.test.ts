import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openReadingTurns } from './reading-turns.ts'

describe('The reading of bodies', () => {
  it('handles two at once, and organizations take turns', async () => {
    const inTurn = openReadingTurns()
    const begun: string[] = []
    const ends: (() => void)[] = []
    const read = (organization: number, name: string) =>
      inTurn(organization, () => {
        begun.push(name)
        return new Promise<void>((resolve) => ends.push(resolve))
      })
    const all = [read(1, 'a'), read(1, 'b'), read(1, 'c'), read(1, 'd'), read(2, 'x'), read(2, 'y')]
    assert.deepEqual(begun, ['a', 'b'])
    for (let done = 0; done < all.length; done++) {
      ends[done]!()
      await all[begun.length <= done ? 0 : order(begun[done]!)]
      await new Promise(setImmediate)
    }
    assert.deepEqual(begun, ['a', 'b', 'c', 'x', 'd', 'y'])
    await Promise.all(all)
  })

  it('rests between two works for as long as the first one took', async () => {
    const inTurn = openReadingTurns(1, 1)
    let ended = 0
    const long = async () => {
      const begun = performance.now()
      do ended = performance.now()
      while (ended < begun + 20)
    }
    const first = inTurn(1, long)
    const second = inTurn(2, async () => performance.now())
    await first
    assert.ok((await second) - ended > 15)
  })

  it('passes the turn on after a failure', async () => {
    const inTurn = openReadingTurns()
    const fails = () => Promise.reject(new Error('unreadable'))
    for (let round = 0; round < 5; round++) await assert.rejects(inTurn(1, fails), /unreadable/)
    assert.equal(await inTurn(1, async () => 'read'), 'read')
  })
})

const order = (name: string) => 'abcdxy'.indexOf(name)
