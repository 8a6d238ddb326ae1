import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as pass } from 'node:timers/promises'
import { takeTurn } from './turn.ts'

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
