import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as pass } from 'node:timers/promises'
import { openTurns } from './slots.ts'

/** Work that notes when it begins, and ends on demand. */
function openTrial(atOnce: number, ofOrganization: number) {
  const inTurn = openTurns(atOnce, ofOrganization)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    ask(organization: number, name: string, gone?: AbortSignal): Promise<string> {
      const work = async () => {
        begun.push(name)
        await new Promise<void>((resolve) => ends.set(name, resolve))
        return name
      }
      return inTurn(organization, work, gone)
    },
    async end(name: string): Promise<void> {
      ends.get(name)!()
      await pass()
    },
  }
}

describe('Work in turns', () => {
  it('runs some at a time, and fewer of one organization', async () => {
    const { ask, begun, end } = openTrial(3, 2)
    const asked = [ask(1, 'a1'), ask(1, 'a2'), ask(1, 'a3'), ask(2, 'b1'), ask(3, 'c1')]
    await pass()
    assert.deepEqual(begun, ['a1', 'a2', 'b1'])
    for (const name of ['b1', 'a1', 'a2', 'c1', 'a3']) await end(name)
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1', 'a3'])
    assert.deepEqual(await Promise.all(asked), ['a1', 'a2', 'a3', 'b1', 'c1'])
  })

  it('gives organizations their turns one after the other', async () => {
    const { ask, begun, end } = openTrial(1, 1)
    const asked = ['a1', 'a2', 'a3'].map((name) => ask(1, name))
    asked.push(ask(2, 'b1'), ask(2, 'b2'), ask(3, 'c1'))
    await pass()
    while (begun.length < 6) await end(begun.at(-1)!)
    await end(begun.at(-1)!)
    await Promise.all(asked)
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
  })

  it('rests between two works for as long as the first one took', async () => {
    const inTurn = openTurns(1, 1, 1)
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

  it('continues after work that failed', async () => {
    const inTurn = openTurns(1, 1)
    const failed = inTurn(1, () => Promise.reject(new Error('it failed')))
    const next = inTurn(1, async () => 'next')
    await assert.rejects(failed, { message: 'it failed' })
    assert.equal(await next, 'next')
  })

  it('forgets who has gone', async () => {
    const { ask, begun, end } = openTrial(1, 1)
    const first = ask(1, 'a1')
    const leaving = new AbortController()
    const left = ask(2, 'b1', leaving.signal)
    const last = ask(3, 'c1')
    await pass()
    leaving.abort(new Error('nobody waits'))
    await assert.rejects(left, { message: 'nobody waits' })
    await assert.rejects(ask(2, 'b2', leaving.signal), { message: 'nobody waits' })
    await end('a1')
    await end('c1')
    await Promise.all([first, last])
    assert.deepEqual(begun, ['a1', 'c1'])
  })
})
