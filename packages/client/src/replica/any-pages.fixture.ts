import fc from 'fast-check'
import type { ChangesPage } from '../changes/changes-page.ts'
import type { Change, ObjectState, Position, Trip } from '../types.ts'

const IDS = [1, 2]
const TIMES = Array.from({ length: 6 }, (_, minute) => timeAt(minute))

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
  const sums = { distance: 1, duration: 60, moving_time: 60, idle_time: 0, max_speed: 60 }
  const rest = { average_speed: 60, positions: 2, longest_gap: 60, open: end === null, revision: 1 }
  return {
    ...{ id, object_id, ...names, ...Object.fromEntries(ends), ...start, end_time: end },
    ...{ ...sums, ...rest, updated_at: timeAt(0) },
  }
}

/** An entry before it has a number. */
type Drawn = Change extends infer Each ? (Each extends Change ? Omit<Each, 'seq'> : never) : never

const anyId = fc.constantFrom(...IDS)
const anyTime = fc.constantFrom(...TIMES)
const anyEnd = fc.option(anyTime)
const anyRange = fc.record({ id: anyId, from_time: anyEnd, to_time: anyEnd })
const anyDrawn: fc.Arbitrary<Drawn> = fc.oneof(
  fc.tuple(anyId, anyTime, fc.nat(9)).map(([id, time, km]) => ({
    ...{ type: 'position' as const, op: 'put' as const, late: false },
    position: {
      ...positionAt(id, time, km * 1e6),
      exact: { odometer_mm: km * 1e6, mileage_mm: null, engine_hours_ms: km },
    },
  })),
  fc.record({
    type: fc.constant('position' as const),
    op: fc.constant('delete' as const),
    id: anyId,
    time_device: anyTime,
  }),
  anyRange.map((range) => ({ type: 'positions' as const, op: 'replace' as const, ...range })),
  fc.tuple(anyRange, fc.integer({ min: 1, max: 9 })).map(([range, mm]) => ({
    ...{ type: 'counters' as const, op: 'shift' as const, ...range },
    ...{ odometer_mm: mm, mileage_mm: mm, engine_hours_ms: mm },
  })),
  fc.tuple(anyId, anyTime).map(([id, time]) => ({
    ...{ type: 'state' as const, op: 'put' as const, state: stateOf(id, time) },
  })),
  fc.tuple(fc.constantFrom(11, 12, 13), anyId, fc.option(anyTime)).map(([id, object, end]) => ({
    ...{ type: 'trip' as const, op: 'put' as const, trip: tripOf(id, object, end) },
  })),
  fc.constantFrom(11, 12).map((id) => ({ type: 'trip' as const, op: 'delete' as const, id })),
  anyId.map((id) => ({ type: 'object' as const, op: 'delete' as const, id })),
  anyId.map((id) => ({ type: 'geofence' as const, op: 'delete' as const, id })),
)

/** Pages as a server makes them: a start, and what follows. Each contains the changes up to its number. */
export const anyPages: fc.Arbitrary<ChangesPage[]> = fc
  .array(fc.array(anyDrawn, { maxLength: 5 }), { minLength: 1, maxLength: 8 })
  .map((pages) =>
    pages.map((drawn, index) => ({
      as_of: index + 1,
      distance_unit: 'km' as const,
      snapshot: index === 0,
      changes: drawn.map((entry) => ({ ...entry, seq: index + 1 }) as Change),
      cursor: `cursor ${index}`,
      has_more: index < pages.length - 1,
      after: index === 0 ? null : `cursor ${index - 1}`,
    })),
  )
