import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as pass } from 'node:timers/promises'
import { openWaitingLine } from './waiting-line.ts'

const STAYS = new AbortController().signal

/** Work that notes when it begins, and ends on demand. */
function openTrial(atOnce: number, ofOrganization: number) {
  const line = openWaitingLine(atOnce, ofOrganization)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    ask(organization: number, name: string, gone = STAYS): Promise<string> {
      return line(organization, gone, async () => {
        begun.push(name)
        await new Promise<void>((resolve) => ends.set(name, resolve))
        return name
      })
    },
    async end(name: string): Promise<void> {
      ends.get(name)!()
      await pass()
    },
  }
}

describe('A line of long work', () => {
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

  it('goes on after work that failed', async () => {
    const line = openWaitingLine(1, 1)
    const failed = line(1, STAYS, () => Promise.reject(new Error('it failed')))
    const next = line(1, STAYS, async () => 'next')
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
