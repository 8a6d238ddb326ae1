import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Charged, quotaLines } from './quota-lines.ts'

const charged = (object: number, used: number, limit: number | null): Charged => ({
  object,
  name: `Van ${object}`,
  ident: `van-${object}`,
  used,
  remaining: limit === null ? null : Math.max(0, limit - used),
})

const shown = (items: Charged[]) =>
  quotaLines(items).map(({ used, objects }) => [used, objects.map(({ object }) => object)])

test('objects that were read equally often share a line', () => {
  const items = [charged(1, 40, 100), charged(2, 12, 100), charged(3, 12, 100), charged(4, 12, 100)]
  assert.deepEqual(shown(items), [
    [40, [1]],
    [12, [2, 3, 4]],
  ])
})

test('objects without quota left share the first line, however often they were read', () => {
  const items = [charged(1, 99, 100), charged(2, 100, 100), charged(3, 103, 100)]
  assert.deepEqual(shown(items), [
    [100, [2, 3]],
    [99, [1]],
  ])
})

test('without a quota nothing is full', () => {
  const items = [charged(1, 500, null), charged(2, 7, null), charged(3, 7, null)]
  assert.deepEqual(shown(items), [
    [500, [1]],
    [7, [2, 3]],
  ])
})
