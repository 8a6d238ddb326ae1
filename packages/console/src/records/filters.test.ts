import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filtersOf, selectionOf } from './filters.ts'

const TODAY = '2026-05-10'
const read = (search: string) => filtersOf(new URLSearchParams(search), TODAY)

test('an address without filters chooses the last week', () => {
  const { from, to, objects, minutes } = read('')
  assert.deepEqual([from, to, objects, minutes], ['2026-05-04', TODAY, [], null])
  assert.deepEqual(read('to=2026-05-01').from, '2026-04-25')
})

test('invalid parts of an address choose nothing, and swapped days are put in order', () => {
  assert.deepEqual(read('from=2026-13-01&objects=x,-1&minutes=-5&sites='), read(''))
  const { from, to } = read('from=2026-05-03&to=2026-05-01')
  assert.deepEqual([from, to], ['2026-05-01', '2026-05-03'])
})

test('filters become the parameters that a kind of records takes', () => {
  const filters = read('from=2026-05-04&to=2026-05-05&objects=7,8&sites=3&minutes=2.5')
  const range = 'from_time=2026-05-04T00%3A00%3A00.000Z&to_time=2026-05-05T23%3A59%3A59.999Z'
  assert.equal(selectionOf(filters, 'trips', true), `${range}&ids=7%2C8`)
  assert.equal(selectionOf(filters, 'stops', true), `${range}&ids=7%2C8&min_duration=150`)
  const visits = `${range}&ids=7%2C8&min_duration=150&sites=3`
  assert.equal(selectionOf(filters, 'visits', true), visits)
})
