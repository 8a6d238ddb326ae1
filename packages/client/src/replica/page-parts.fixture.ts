import type { ObjectState, Position, Trip } from '../types.ts'

export function timeAt(minute: number): string {
  return new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString()
}

export function positionAt(id: number, time: string, mm: number): Position {
  return {
    ...{ id, ident: `ident ${id}`, name: `Van ${id}`, latitude: 41, longitude: 29, altitude: null },
    ...{ angle: null, speed: 50, time_server: time, time_device: time },
    ...{ engine_hours: null, odometer: mm / 1e6, mileage: null, address: null },
  }
}

export function stateOf(id: number, time: string): ObjectState {
  const none = { time_last_idle: null, time_last_move: null, time_last_stop: null }
  const counters = { engine_hours: 7, odometer: 8, mileage: 9, address: 'Depot' }
  const place = { latitude: 41, longitude: 29, altitude: null, angle: null, speed: 50 }
  return { id, time_server: time, time_device: time, ...none, ...counters, ...place }
}

export function tripOf(id: number, object_id: number, end: string | null): Trip {
  const names = { ident: `ident ${object_id}`, name: `Van ${object_id}` }
  const start = { start_time: timeAt(0), start_latitude: 41, start_longitude: 29 }
  const counters = {
    odometer: null,
    engine_hours: null,
    address: null,
    latitude: 41,
    longitude: 29,
  }
  const ends = Object.entries(counters).flatMap(([field, value]) => [
    [`start_${field}`, value],
    [`end_${field}`, end === null ? null : value],
  ])
  const sums = {
    distance: 1,
    duration: 60,
    moving_time: 60,
    idle_time: 0,
    silent_time: 0,
    max_speed: 60,
  }
  const rest = { average_speed: 60, positions: 2, longest_gap: 60, open: end === null, revision: 1 }
  return {
    ...{ id, object_id, ...names, ...Object.fromEntries(ends), ...start, end_time: end },
    ...{ ...sums, ...rest, updated_at: timeAt(0) },
  }
}
