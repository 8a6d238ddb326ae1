import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { type Json, REPOSITORY } from '../harness/fleetgate.ts'
import { senderWith } from '../harness/sender.ts'
import { DAY, MINUTE, untilRecords } from './records-fleet.ts'

const HOUR = 60 * MINUTE
const EVENING = DAY + 17 * HOUR
const MORNING = DAY + 31 * HOUR
const RANGE = 'from_time=2026-05-01&to_time=2026-07-01'
const DAYS = 'from_date=2026-05-01&to_date=2026-07-01'
const at = (time: number) => new Date(time).toISOString()

function row(ident: string, time: number, metres: number, speed: number): Json {
  return { ident, time_device: at(time), latitude: 50 + metres / 111_200, longitude: 10, speed }
}

/** Half an hour of driving, of which the last packet still rolls, and a drive of the morning after. */
function overnight(ident: string): Json[] {
  const evening = Array.from({ length: 31 }, (_, minute) =>
    row(ident, EVENING + minute * MINUTE, minute * 667, minute < 30 ? 40 : 8),
  )
  const morning = Array.from({ length: 30 }, (_, minute) =>
    row(
      ident,
      MORNING + minute * MINUTE,
      30 * 667 + Math.min(17, Math.max(0, minute - 2)) * 667,
      minute < 3 || minute > 19 ? 0 : 40,
    ),
  )
  return [...evening, ...morning]
}

/** A phone on a desk, one fix a minute: every 20th shows 8 km/h, and all of them drift by some meters. */
function desk(ident: string): Json[] {
  return Array.from({ length: 24 * 60 }, (_, minute) =>
    row(ident, DAY + minute * MINUTE, (minute * 7) % 19, minute % 20 === 7 ? 8.15 : 0),
  )
}

/** A drive, 31 silent days, and a drive elsewhere. */
function carried(ident: string): Json[] {
  const later = DAY + 31 * 24 * HOUR
  const legs = (from: number, metres: number) =>
    [0, 1, 2].map((minute) => row(ident, from + minute * MINUTE, metres + minute * 600, 36))
  return [...legs(DAY, 0), ...legs(later, 500_000)]
}

const CASES = join(REPOSITORY, '../shared/cases')
const skip = existsSync(CASES) ? false : `${CASES} is not there`
const caseRows = (name: string) =>
  skip === false ? linesOf(join(CASES, name, 'positions.ndjson')) : []
const linesOf = (file: string): Json[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

const fleet = await startFleet()

describe('GET /trips: 200, of devices that are silent or noisy', async () => {
  const sender = await senderWith(fleet, [
    ...overnight('S-1'),
    ...desk('S-2'),
    ...carried('S-3'),
    ...caseRows('gap-overnight'),
    ...caseRows('parked-speed-noise'),
  ])
  const objects = resultOf(await sender.get('/objects')) as Json[]
  const idOf = (ident: string) => objects.find((each) => each.ident === ident)!.id
  const list = async (path: string, ident: string) =>
    resultOf(await sender.get(`${path}&ids=${idOf(ident)}`)) as Json[]
  await untilRecords(sender, async () => (await list(`/trips?${RANGE}`, 'S-3')).length === 3)

  for (const [ident, start, isSkipped] of [
    ['S-1', EVENING, false],
    ['NIGHT', Date.UTC(2026, 10, 17, 17), skip],
  ] as const) {
    it(`a tracker without power overnight stops until the morning: ${ident}`, {
      skip: isSkipped,
    }, async () => {
      const range = 'from_time=2026-05-01&to_time=2026-12-01'
      const morning = start + 14 * HOUR
      const trips = await list(`/trips?${range}`, ident)
      assert.deepEqual(
        trips.map((trip) => [trip.start_time, trip.moving_time, trip.silent_time]),
        [
          [at(start), 1_800, 0],
          [at(morning + 2 * MINUTE), 17 * 60, 0],
        ],
      )
      assert.equal(trips[0]!.end_time, at(start + 30 * MINUTE))
      const [stop] = await list(`/stops?${range}`, ident)
      assert.deepEqual(
        [stop!.start_time, stop!.end_time, stop!.idle_time],
        [at(start + 30 * MINUTE), at(morning + 2 * MINUTE), 0],
      )
    })
  }

  for (const [ident, isSkipped] of [
    ['S-2', false],
    ['DESK', skip],
  ] as const) {
    it(`a phone on a desk makes no trip, no way and no engine hours: ${ident}`, {
      skip: isSkipped,
    }, async () => {
      const range = 'from_time=2026-05-01&to_time=2026-12-01'
      assert.deepEqual(await list(`/trips?${range}`, ident), [])
      const [stop, ...others] = await list(`/stops?${range}`, ident)
      assert.deepEqual([stop!.idle_time, stop!.positions, others], [0, 1_440, []])
      const { odometer, engine_hours } = resultOf(await sender.get(`/objects/${idOf(ident)}`))
      assert.deepEqual([odometer, engine_hours], [0, 0])
    })
  }

  it('31 silent days are a silent trip, and no day has more than 25 hours', async () => {
    const trips = await list(`/trips?${RANGE}`, 'S-3')
    const shown = trips.map(({ moving_time, silent_time, positions, open }) => {
      return { moving_time, silent_time, positions, open }
    })
    const driving = { moving_time: 120, silent_time: 0, positions: 3 }
    const silent = { moving_time: 0, silent_time: 31 * 86_400 - 120, positions: 2 }
    assert.deepEqual(shown, [
      { ...driving, open: false },
      { ...silent, open: false },
      { ...driving, open: true },
    ])
    const distance = trips.reduce((sum, trip) => sum + trip.distance, 0)
    assert.ok(Math.abs(distance - 501.2) < 0.7, `${distance}`)
    const days = await list(`/days?${DAYS}`, 'S-3')
    assert.deepEqual(
      days.map((day) => [day.date, day.trips, day.moving_time, day.silent_time]),
      [
        // The silent trip starts on the first day. Of the other day nothing passed before its first position.
        ['2026-05-04', 2, 120, 0],
        ['2026-06-04', 1, 120, 0],
      ],
    )
  })

  it('adds up to the odometer', async () => {
    for (const ident of ['S-1', 'S-3']) {
      const trips = await list(`/trips?${RANGE}`, ident)
      const sum = trips.reduce((all, trip) => all + trip.distance, 0)
      const { odometer } = resultOf(await sender.get(`/objects/${idOf(ident)}`))
      assert.ok(Math.abs(sum - odometer) < 0.02, `${ident}: ${sum}, ${odometer}`)
    }
  })
})
