import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { demoFixes } from './fixes.ts'
import { VEHICLES } from './vehicles.ts'
import { aheadOf, drivenFixes } from './working-hours.ts'

const HOUR_MS = 3_600_000
const clockOf = (time: number) =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Madrid',
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }).format(time)

test('who starts the demo while its vans are out sees them by the clock of Madrid', () => {
  assert.equal(aheadOf(Date.UTC(2026, 10, 20, 10)), 0)
  assert.equal(aheadOf(Date.UTC(2026, 6, 20, 6)), 0)
})

test('by night and on weekends its clock begins on the next working morning', () => {
  const begins = (time: number) => clockOf(time + aheadOf(time))
  assert.equal(begins(Date.UTC(2026, 10, 20, 3)), 'Fri 09:30')
  assert.equal(begins(Date.UTC(2026, 10, 20, 20)), 'Mon 09:30')
  assert.equal(begins(Date.UTC(2026, 10, 22, 3)), 'Mon 09:30')
  assert.equal(begins(Date.UTC(2026, 6, 22, 22)), 'Thu 09:30')
})

test('whenever it is started, some of the fleet drives within the next minutes', () => {
  const anyTime = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2028, 0, 1) })
  fc.assert(
    fc.property(anyTime, (start) => {
      const ahead = aheadOf(start)
      assert.ok(ahead >= 0 && ahead < 4 * 24 * HOUR_MS)
      const moving = VEHICLES.filter(({ ident }) =>
        [...drivenFixes(ident, start, start + 5 * 60_000, ahead)].some((fix) => fix.speed! > 5),
      )
      assert.ok(moving.length >= 3, `${moving.length} move at ${clockOf(start + ahead)}`)
    }),
    { numRuns: 20 },
  )
})

test('what is driven by its clock is told in ours', () => {
  const [{ ident }] = VEHICLES as [(typeof VEHICLES)[number]]
  const from = Date.UTC(2026, 10, 20, 10)
  const there = [...demoFixes(ident, from, from + HOUR_MS)]
  const here = [...drivenFixes(ident, from - HOUR_MS, from, HOUR_MS)]
  assert.deepEqual(
    here.map(({ timeDevice, timeServer }) => [timeDevice + HOUR_MS, timeServer + HOUR_MS]),
    there.map(({ timeDevice, timeServer }) => [timeDevice, timeServer]),
  )
  assert.deepEqual(here[0]!.latitude, there[0]!.latitude)
})
