import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distanceMetres } from '../../tracking/rules/geodesic.ts'
import { aheadOf, drivenFixes, longestDriver } from './fleet-clock.ts'
import { VEHICLES } from './vehicles.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Each hour of a working day in winter, of a Saturday and of a working day in summer. */
const STARTS = [Date.UTC(2026, 10, 18), Date.UTC(2026, 10, 21), Date.UTC(2026, 6, 22)]
  .flatMap((day) =>
    Array.from({ length: 24 }, (_, hour) => day + hour * HOUR_MS + hour * MINUTE_MS),
  )
  .map((start) => ({ start, at: new Date(start).toISOString(), ahead: aheadOf(start) }))

test('at least half of the vehicles drive in the first ten minutes, at any hour', () => {
  for (const { start, at, ahead } of STARTS) {
    const drive = VEHICLES.filter(({ ident }) =>
      drivenFixes(ident, start, start + 10 * MINUTE_MS, ahead).some(({ speed }) => speed! > 5),
    )
    assert.ok(drive.length >= VEHICLES.length / 2, `${drive.length} drive after ${at}`)
  }
})

test('at least a fifth of the vehicles drive on the first map, at any hour', () => {
  for (const { start, at, ahead } of STARTS) {
    const drive = VEHICLES.filter(({ ident }) =>
      drivenFixes(ident, start - 30_000, start, ahead).some(({ speed }) => speed! > 5),
    )
    assert.ok(drive.length >= VEHICLES.length / 5, `${drive.length} drive at ${at}`)
  }
})

test('the vehicle of the greeting moves from each of the first minutes to the next', () => {
  for (const { start, at, ahead } of STARTS) {
    const ident = longestDriver(start + ahead)
    const fixes = [...drivenFixes(ident, start - MINUTE_MS, start + 4 * MINUTE_MS, ahead)]
    const latestAt = (time: number) => fixes.findLast(({ timeDevice }) => timeDevice <= time)!
    for (let minute = 1; minute <= 4; minute++) {
      const time = start + minute * MINUTE_MS
      const [before, after] = [latestAt(time - MINUTE_MS), latestAt(time)]
      const metres = distanceMetres(
        ...([before.latitude, before.longitude, after.latitude, after.longitude] as const),
      )
      assert.ok(metres > 20, `${Math.round(metres)} m in minute ${minute} after ${at}`)
    }
  }
})

test('the clock is less than four days ahead, and never behind', () => {
  for (const { ahead } of STARTS) {
    assert.ok(ahead >= 0 && ahead < 4 * DAY_MS, `${ahead / HOUR_MS} h`)
  }
})

test('fixes by the clock of the fleet have times of the system', () => {
  const [{ ident }] = VEHICLES as [(typeof VEHICLES)[number]]
  const from = Date.UTC(2026, 10, 20, 10)
  const there = [...drivenFixes(ident, from, from + HOUR_MS, 0)]
  const here = [...drivenFixes(ident, from - HOUR_MS, from, HOUR_MS)]
  assert.deepEqual(
    here.map(({ timeDevice, timeServer }) => [timeDevice + HOUR_MS, timeServer + HOUR_MS]),
    there.map(({ timeDevice, timeServer }) => [timeDevice, timeServer]),
  )
  assert.deepEqual(here[0]!.latitude, there[0]!.latitude)
})
