import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { setImmediate as pass } from 'node:timers/promises'
import fc from 'fast-check'
import {
  countShares,
  oncePerTick,
  oneAfterAnother,
  openTurns,
  runInTurns,
  takeTurn,
} from './slots.ts'
import type { Steps } from './steps.ts'

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

test('shares are plain sums, and a holder of nothing is forgotten', () => {
  const step = fc.record({ holder: fc.constantFrom('a', 'b', 'c'), change: fc.integer() })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const shares = countShares<string>()
      const sumOf = (holder?: string) =>
        steps
          .filter((each) => holder === undefined || each.holder === holder)
          .reduce((sum, { change }) => sum + change, 0)
      for (const { holder, change } of steps) shares.add(holder, change)
      const expected = ['a', 'b', 'c'].map(sumOf)
      assert.deepEqual(
        ['a', 'b', 'c'].map((holder) => shares.of(holder)),
        expected,
      )
      assert.equal(shares.sum, sumOf())
      assert.equal(shares.holders, expected.filter((share) => share !== 0).length)
    }),
  )
})

it('tasks of one number run one after the other, even after failures, beside tasks of other numbers', async () => {
  const take = oneAfterAnother()
  const said: string[] = []
  const work = (name: string) => async () => {
    said.push(`${name} begins`)
    await new Promise(setImmediate)
    said.push(`${name} ends`)
    if (name === 'b') throw new Error('b breaks')
    return name
  }
  const results = await Promise.allSettled([
    take(1, work('a')),
    take(1, work('b')),
    take(2, work('x')),
    take(1, work('c')),
  ])
  assert.deepEqual(
    results.map((each) => (each.status === 'fulfilled' ? each.value : 'broke')),
    ['a', 'broke', 'x', 'c'],
  )
  assert.deepEqual(
    said.filter((each) => !each.startsWith('x')),
    ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'],
  )
  assert.ok(said.indexOf('x begins') < said.indexOf('a ends'))
})

it('gives one turn in a pass of the event loop, however many tasks wait', async () => {
  const slices: string[] = []
  async function work(name: string): Promise<void> {
    for (let slice = 0; slice < 3; slice++) {
      await takeTurn()
      slices.push(`${name}${slice}`)
    }
  }
  const done = Promise.all(['a', 'b', 'c'].map(work))
  const seen: number[] = []
  while (slices.length < 9) {
    await pass()
    seen.push(slices.length)
  }
  await done
  assert.deepEqual(slices, ['a0', 'b0', 'c0', 'a1', 'b1', 'c1', 'a2', 'b2', 'c2'])
  for (const [i, count] of seen.entries()) assert.ok(count - (seen[i - 1] ?? 0) <= 1, `${seen}`)
})

/** Steps that each take as long as the clock needs to move on by a millisecond. */
function* steps(count: number): Steps<string> {
  for (let step = 0; step < count; step += 1) {
    const until = performance.now() + 1
    while (performance.now() < until);
    yield
  }
  return 'done'
}

it('gives turns by the time that steps take, not by their number', async () => {
  let isDone = false
  const work = runInTurns(steps(10)).finally(() => {
    isDone = true
  })
  let passes = 0
  while (!isDone) {
    await pass()
    passes += 1
  }
  assert.equal(await work, 'done')
  assert.ok(passes >= 4, `${passes} passes of the event loop in 10 ms of work`)
})

it('ends steps with the reason of a signal', async () => {
  const ended = new AbortController()
  const work = runInTurns(steps(Number.POSITIVE_INFINITY), ended.signal)
  await pass()
  ended.abort(new Error('nobody waits'))
  await assert.rejects(work, { message: 'nobody waits' })
})

it('lets others run during work in steps, and does short work at once', async (t) => {
  let others = 0
  const timer = setInterval(() => {
    others += 1
  })
  function* untilOthersRan() {
    while (others < 3) yield
    return 'done'
  }
  assert.equal(await runInTurns(untilOthersRan()), 'done')
  const before = others
  function* short() {
    yield
    return others
  }
  // The time of a slice does not run out, however busy the machine is.
  t.mock.method(performance, 'now', () => 0)
  assert.equal(await runInTurns(short()), before)
  clearInterval(timer)
})

test('a check runs once for all requests of one turn of the event loop, and again in the next', async () => {
  let checks = 0
  const check = oncePerTick(() => ++checks)
  assert.deepEqual([check(), check()], [1, 1])
  await Promise.resolve()
  assert.equal(check(), 1)
  await pass()
  assert.deepEqual([check(), check()], [2, 2])
})
