import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as pass } from 'node:timers/promises'
import type { Steps } from './steps.ts'
import { runInTurns, takeTurn } from './turn.ts'

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

it('lets others run during work in steps, and does short work at once', async () => {
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
  assert.equal(await runInTurns(short()), before)
  clearInterval(timer)
})
