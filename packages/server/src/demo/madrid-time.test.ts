import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS } from '../domain/time/time.ts'
import { madridDay, madridMidnight, weekday } from './madrid-time.ts'

const madrid = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Madrid',
  dateStyle: 'short',
  timeStyle: 'medium',
})
const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)

test('midnight in Madrid matches the time zone database', () => {
  for (let day = 19_723; day < 19_723 + 3 * 366; day++) {
    assert.equal(madrid.format(madridMidnight(day)), `${dateOf(day)} 00:00:00`)
  }
})

test('the day in Madrid matches the time zone database', () => {
  const moments = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2035, 0, 1) })
  fc.assert(
    fc.property(moments, (time) => {
      assert.equal(dateOf(madridDay(time)), madrid.format(time).slice(0, 10))
    }),
  )
})

test('1 January 2024 was a Monday, 7 January a Sunday', () => {
  assert.equal(weekday(Date.UTC(2024, 0, 1) / DAY_MS), 0)
  assert.equal(weekday(Date.UTC(2024, 0, 7) / DAY_MS), 6)
})
