import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listNumber } from './list-number.ts'

test('the list is loaded again when it is outdated, and every ten seconds at most', () => {
  let now = 0
  const list = listNumber(() => now)
  assert.equal(list.current(), 0)
  now = 3_600_000
  assert.equal(list.current(), 0, 'nothing has changed')
  list.outdate()
  assert.deepEqual([list.current(), list.current()], [1, 1])
  now += 9_999
  list.outdate()
  assert.equal(list.current(), 1, 'too soon')
  now += 1
  assert.deepEqual([list.current(), list.current()], [2, 2])
})

test('a list that is young enough stays', () => {
  let now = 0
  const list = listNumber(() => now)
  list.outdate()
  assert.equal(list.current(), 1)
  now = 59_999
  list.outdate(60_000)
  assert.equal(list.current(), 1)
  now = 60_000
  list.outdate(60_000)
  assert.equal(list.current(), 2)
})
