import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS, parseDate } from './time.ts'
import { instantOf, localDays } from './time-zone.ts'

const utc = (text: string) => Date.parse(`${text}Z`)
const instant = (local: string, zone: string) => new Date(instantOf(utc(local), zone)).toISOString()

test('a local time is read with the offset of its zone at that time', () => {
  assert.equal(instant('2024-01-15T12:00', 'UTC'), '2024-01-15T12:00:00.000Z')
  assert.equal(instant('2024-01-15T12:00', 'Europe/Madrid'), '2024-01-15T11:00:00.000Z')
  assert.equal(instant('2024-07-15T12:00', 'Europe/Madrid'), '2024-07-15T10:00:00.000Z')
  assert.equal(instant('2024-07-15T12:00', 'Asia/Kathmandu'), '2024-07-15T06:15:00.000Z')
  assert.equal(instant('2024-07-15T12:00', 'America/St_Johns'), '2024-07-15T14:30:00.000Z')
})

test('a local time that summer time skips moves forward by the skipped time', () => {
  assert.equal(instant('2024-03-31T01:59', 'Europe/Madrid'), '2024-03-31T00:59:00.000Z')
  assert.equal(instant('2024-03-31T02:00', 'Europe/Madrid'), '2024-03-31T01:00:00.000Z')
  assert.equal(instant('2024-03-31T02:30', 'Europe/Madrid'), '2024-03-31T01:30:00.000Z')
  assert.equal(instant('2024-03-31T03:30', 'Europe/Madrid'), '2024-03-31T01:30:00.000Z')
  // Skips of half an hour, a minute after midnight, and a whole day.
  assert.equal(instant('2024-10-06T02:15', 'Australia/Lord_Howe'), '2024-10-05T15:45:00.000Z')
  assert.equal(instant('2010-03-14T00:30', 'America/St_Johns'), '2010-03-14T04:00:00.000Z')
  assert.equal(instant('2011-12-30T12:00', 'Pacific/Apia'), '2011-12-30T22:00:00.000Z')
})

test('an ambiguous local time is the earlier one', () => {
  assert.equal(instant('2024-10-27T01:59', 'Europe/Madrid'), '2024-10-26T23:59:00.000Z')
  assert.equal(instant('2024-10-27T02:30', 'Europe/Madrid'), '2024-10-27T00:30:00.000Z')
  assert.equal(instant('2024-10-27T03:00', 'Europe/Madrid'), '2024-10-27T02:00:00.000Z')
  assert.equal(instant('2024-11-03T01:30', 'America/New_York'), '2024-11-03T05:30:00.000Z')
})

/** The local time in the zone at a moment, as if it were UTC. */
function shown(time: number, zone: string): number {
  const text = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    ...{ dateStyle: 'short', timeStyle: 'medium' },
  }).format(time)
  return Date.parse(`${text.replace(' ', 'T')}Z`)
}

const ZONES = Intl.supportedValuesOf('timeZone')

test('each moment converts to local time and back to itself, or to an earlier moment of the same local time', () => {
  const anyMoment = fc.integer({ min: utc('1990-01-01') / 1000, max: utc('2037-12-31') / 1000 })
  fc.assert(
    fc.property(anyMoment, fc.constantFrom(...ZONES), (seconds, zone) => {
      const time = seconds * 1000
      const local = shown(time, zone)
      const found = instantOf(local, zone)
      assert.ok(found <= time && time - found < DAY_MS)
      assert.equal(shown(found, zone), local)
    }),
    { numRuns: 500 },
  )
})

const HOUR_MS = 3_600_000
const dayOf = (date: string) => parseDate(date)! / DAY_MS
const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)

function start(date: string, zone: string): string {
  return new Date(localDays(zone).startOf(dayOf(date))).toISOString()
}

function hours(date: string, zone: string): number {
  const { startOf } = localDays(zone)
  return (startOf(dayOf(date) + 1) - startOf(dayOf(date))) / HOUR_MS
}

test('a day begins at midnight of its zone', () => {
  assert.equal(start('2026-05-04', 'UTC'), '2026-05-04T00:00:00.000Z')
  assert.equal(start('2026-05-04', 'Europe/Madrid'), '2026-05-03T22:00:00.000Z')
  assert.equal(start('2026-05-04', 'Asia/Kathmandu'), '2026-05-03T18:15:00.000Z')
  assert.equal(start('2026-05-04', 'Pacific/Kiritimati'), '2026-05-03T10:00:00.000Z')
  assert.equal(start('2026-05-04', 'Pacific/Pago_Pago'), '2026-05-04T11:00:00.000Z')
})

test('a day has 23 or 25 hours, or others, if clocks are set', () => {
  assert.equal(hours('2026-03-28', 'Europe/Madrid'), 24)
  assert.equal(hours('2026-03-29', 'Europe/Madrid'), 23)
  assert.equal(hours('2026-10-25', 'Europe/Madrid'), 25)
  assert.equal(hours('2026-10-04', 'Australia/Lord_Howe'), 23.5)
  assert.equal(hours('2026-04-05', 'Australia/Lord_Howe'), 24.5)
})

test('a day whose midnight is skipped begins when its date is first shown', () => {
  assert.equal(start('2018-11-04', 'America/Sao_Paulo'), '2018-11-04T03:00:00.000Z')
  assert.equal(hours('2018-11-04', 'America/Sao_Paulo'), 23)
})

test('a day continues if clocks are set back to its last hour at midnight', () => {
  assert.equal(hours('2018-02-17', 'America/Sao_Paulo'), 25)
  assert.equal(start('2018-02-18', 'America/Sao_Paulo'), '2018-02-18T03:00:00.000Z')
})

test('a day that began continues if clocks are set back behind its midnight', () => {
  // At a minute past midnight clocks went back to 23:01.
  const zone = 'America/St_Johns'
  assert.equal(start('2010-11-07', zone), '2010-11-07T02:30:00.000Z')
  const again = Date.parse('2010-11-07T02:45:00Z')
  assert.equal(localDays(zone).dayOf(again), dayOf('2010-11-07'))
  assert.equal(hours('2010-11-06', zone), 24)
  assert.equal(hours('2010-11-07', zone), 25)
})

test('a day that the zone skipped is empty', () => {
  assert.equal(hours('2011-12-30', 'Pacific/Apia'), 0)
  assert.equal(start('2011-12-31', 'Pacific/Apia'), '2011-12-30T10:00:00.000Z')
  assert.equal(hours('1993-08-21', 'Pacific/Kwajalein'), 0)
})

const formats = new Map<string, Intl.DateTimeFormat>()

/** The date that a clock in the zone shows. */
function dateShown(time: number, zone: string): string {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone })
  formats.set(zone, format)
  return format.format(time)
}

const anyZone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
const anyMoment = fc.integer({ min: 0, max: Date.UTC(2100, 0) })

test('each moment belongs to the day that Intl shows, or has shown', () => {
  fc.assert(
    fc.property(anyMoment, anyZone, (time, zone) => {
      const { dayOf: dayAt, startOf } = localDays(zone)
      const day = dayAt(time)
      assert.ok(startOf(day) <= time && time < startOf(day + 1))
      const date = dateShown(time, zone)
      if (date === dateOf(day)) return
      assert.equal(date, dateOf(day - 1))
      assert.equal(dateShown(startOf(day), zone), dateOf(day))
      assert.ok(time - startOf(day) < 2 * HOUR_MS)
    }),
    { numRuns: 2_000 },
  )
})

test('each day begins when Intl first shows its date', () => {
  const anyDay = fc.integer({ min: 0, max: dayOf('2100-01-01') })
  fc.assert(
    fc.property(anyDay, anyZone, (day, zone) => {
      const begins = localDays(zone).startOf(day)
      assert.ok(dateShown(begins, zone) >= dateOf(day))
      assert.ok(dateShown(begins - 1, zone) < dateOf(day))
      if (dateShown(begins, zone) > dateOf(day))
        assert.equal(localDays(zone).startOf(day + 1), begins)
    }),
    { numRuns: 2_000 },
  )
})
