import assert from 'node:assert/strict'
import { it } from 'node:test'
import { oneAfterAnother } from './one-after-another.ts'

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
