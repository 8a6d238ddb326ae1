import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Level, Stop, Trip, Visit } from '../api/types.ts'
import { dayLines } from './day-lines.ts'
import { inOrder } from './day-records.ts'

const DAY = { from: '2026-05-04T00:00:00.000Z', to: '2026-05-04T23:59:59.999Z' }
const at = (time: string) => `2026-05-04T${time}:00.000Z`

function stop(id: number, start: string, end: string, more: Partial<Stop> = {}): Stop {
  const [start_time, end_time] = [at(start), at(end)]
  const duration = (Date.parse(end_time) - Date.parse(start_time)) / 1_000
  const row = { id, start_time, end_time, duration, open: false, address: null, site_ids: [] }
  return { ...row, ...more } as unknown as Stop
}

function trip(id: number, start: string, end: string, more: Partial<Trip> = {}): Trip {
  const ends = { start_time: at(start), end_time: at(end) }
  return { id, ...ends, start_address: null, end_address: null, ...more } as Trip
}

function visit(id: number, start_time: string, end_time: string | null, more: Partial<Visit> = {}) {
  return { id, start_time, end_time, place_type: 'site', place_id: id, ...more } as Visit
}

test('stops have numbers, and names of their sites, which trips lead from and to', () => {
  const stops = [
    stop(1, '06:00', '08:00', { site_ids: [7] }),
    stop(2, '08:30', '08:30'),
    stop(3, '09:00', '17:00', { address: '1 Main Street' }),
  ]
  const trips = [trip(1, '08:00', '08:30'), trip(2, '08:30', '09:00')]
  const depot = visit(7, at('06:00'), at('08:01'), { place_name: 'Depot' })
  const { lines, shortStops } = dayLines(inOrder(trips, stops, [depot], []), DAY)
  const seen = lines.map((line) =>
    'number' in line ? [line.number, line.place] : 'from' in line ? [line.from, line.to] : [],
  )
  assert.deepEqual(seen, [
    [1, 'Depot'],
    ['Depot', null],
    [null, '1 Main Street'],
    [2, '1 Main Street'],
  ])
  assert.deepEqual(
    shortStops.map(({ key }) => key),
    ['stop-2'],
  )
})

test('a visit is in the trip or stop that has most of it, or in which it began', () => {
  const stops = [stop(1, '06:00', '08:00'), stop(2, '09:00', '12:00')]
  const trips = [trip(1, '08:00', '09:00'), trip(2, '12:00', '13:00')]
  const visits = [
    visit(1, at('08:59'), at('11:59')),
    visit(2, at('08:10'), at('08:20')),
    visit(3, at('07:50'), at('12:50')),
    visit(4, '2026-05-03T10:00:00.000Z', at('06:30')),
  ]
  const { lines, allDay } = dayLines(inOrder(trips, stops, visits, []), DAY)
  assert.deepEqual(allDay, [])
  assert.deepEqual(
    lines.map(({ record, visits: inside }) => [record.key, inside.map(({ key }) => key)]),
    [
      ['stop-1', ['visit-4']],
      ['trip-1', ['visit-2']],
      ['stop-2', ['visit-3', 'visit-1']],
      ['trip-2', []],
    ],
  )
})

test('a visit of the whole day is in none of them', () => {
  const stops = [stop(1, '06:00', '08:00')]
  const visits = [visit(1, '2026-05-01T00:00:00.000Z', null), visit(2, at('06:00'), at('08:00'))]
  const { lines, allDay } = dayLines(inOrder([trip(1, '08:00', '09:00')], stops, visits, []), DAY)
  assert.deepEqual(
    allDay.map(({ key }) => key),
    ['visit-1'],
  )
  assert.equal(lines.flatMap(({ visits: inside }) => inside).length, 1)
})

test('a change of a level has a line of its own', () => {
  const level = { id: 1, start_time: at('07:00') } as Level
  const { lines } = dayLines(inOrder([], [stop(1, '06:00', '08:00')], [], [level]), DAY)
  assert.deepEqual(
    lines.map(({ record }) => record.key),
    ['stop-1', 'level-1'],
  )
})
