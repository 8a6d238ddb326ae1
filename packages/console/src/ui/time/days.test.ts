/// <reference types="node" />
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { besideDay, dayOf, dayRange, isDay } from './days.ts'

const HOUR_MS = 3_600_000

test('a day is local, from its first moment to its last', () => {
  process.env.TZ = 'Europe/Berlin'
  const { from, to } = dayRange('2026-03-29', false)
  assert.equal(from, '2026-03-28T23:00:00.000Z')
  assert.equal(Date.parse(to) + 1 - Date.parse(from), 23 * HOUR_MS, 'clocks go forward')
  assert.deepEqual(
    [from, to].map((each) => dayOf(each, false)),
    ['2026-03-29', '2026-03-29'],
  )
  assert.equal(dayOf(Date.parse(to) + 1, false), '2026-03-30')
})

test('a UTC day has 24 hours in every time zone', () => {
  process.env.TZ = 'America/New_York'
  const { from, to } = dayRange('2026-03-29', true)
  assert.deepEqual([from, to], ['2026-03-29T00:00:00.000Z', '2026-03-29T23:59:59.999Z'])
  assert.equal(dayOf(from, true), '2026-03-29')
  assert.equal(dayOf(from, false), '2026-03-28')
})

test('a partially typed date is not a day', () => {
  const typed = ['', '2026-1-1', '12026-11-20', '2026-13-01', '2026-11-20']
  assert.deepEqual(typed.map(isDay), [false, false, false, false, true])
})

test('days follow one another', () => {
  assert.equal(besideDay('2026-03-01', -1), '2026-02-28')
  assert.equal(besideDay('2027-12-31', 1), '2028-01-01')
})
