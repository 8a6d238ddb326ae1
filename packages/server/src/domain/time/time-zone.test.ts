import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS } from './time.ts'
import { instantOf } from './time-zone.ts'

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
