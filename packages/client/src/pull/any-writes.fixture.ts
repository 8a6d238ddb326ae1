import fc from 'fast-check'
import { tripOf } from '../replica/page-parts.fixture.ts'
import type { ReplicaProgress, ReplicaStore, ReplicaWrite } from '../replica/replica-store.ts'
import type { FleetObject } from '../types.ts'

export const IDS = [1, 2, 3]
/** Some hours of three days. */
export const TIMES = [0, 1, 23, 24, 25, 47, 49, 50].map((hour) =>
  new Date(Date.UTC(2026, 10, 20, hour)).toISOString(),
)

const anyTime = fc.constantFrom(...TIMES)
const anyRange = { id: fc.constantFrom(...IDS), from: fc.option(anyTime), to: fc.option(anyTime) }

type Drawn = (seq: number) => ReplicaWrite

export const anyWrite: fc.Arbitrary<Drawn> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(anyRange.id, anyTime, fc.nat(9), fc.option(fc.constantFrom('Depot', 'Quay')))
      .map(([id, time, mm, address]) => putOf(id, time, mm, address)),
  },
  fc.record(anyRange).map((range) => (): ReplicaWrite => ({ write: 'delete-positions', ...range })),
  fc.tuple(fc.record(anyRange), fc.integer({ min: 1, max: 9 })).map(
    ([range, mm]) =>
      (seq: number): ReplicaWrite => ({
        ...{ write: 'shift-positions', ...range, seq },
        ...{ odometer_mm: mm, mileage_mm: 2 * mm, engine_hours_ms: 3 * mm },
      }),
  ),
  fc
    .tuple(anyRange.id, fc.constantFrom('Van', 'Truck'))
    .map(([id, name]) => (asOf: number): ReplicaWrite => {
      const item = { id, name, ident: `${id}` } as FleetObject
      return { write: 'put', kind: 'object', id, item, asOf }
    }),
  anyRange.id.map((id) => (): ReplicaWrite => ({ write: 'delete', kind: 'object', id })),
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.integer({ min: 11, max: 14 }), anyRange.id, fc.option(anyTime))
      .map(([id, object, end]) => (asOf: number): ReplicaWrite => {
        return { write: 'put', kind: 'trip', id, item: tripOf(id, object, end), asOf }
      }),
  },
  fc
    .integer({ min: 11, max: 14 })
    .map((id) => (): ReplicaWrite => ({ write: 'delete', kind: 'trip', id })),
  fc
    .record({ id: fc.option(anyRange.id), endedBefore: fc.option(anyTime) })
    .map((some) => (): ReplicaWrite => ({ write: 'delete-records', ...some })),
)

/** The shifts of a change do not overlap: the first one of each object stays. */
export function withoutOverlap(writes: readonly ReplicaWrite[]): ReplicaWrite[] {
  const shifted = new Set<number>()
  return writes.filter((write) => {
    if (write.write !== 'shift-positions') return true
    const isFirst = !shifted.has(write.id)
    shifted.add(write.id)
    return isFirst
  })
}

export function putOf(id: number, time: string, mm: number, address: string | null) {
  return (asOf: number): ReplicaWrite => {
    const exact = { odometer_mm: mm, mileage_mm: null, engine_hours_ms: mm }
    const place = { latitude: 41.1234567, longitude: mm, altitude: null, angle: 0.5, speed: mm }
    const times = { time_server: time, time_device: time }
    const rounded = { engine_hours: null, odometer: null, mileage: null }
    // Those of a copy without attributes have none.
    const attributes = mm % 3 === 1 ? undefined : { fuel: mm, driver: 'B, "Bo" Ø', door: true }
    const own = { ...(attributes && { attributes }), address, exact }
    const position = { id, ident: '', name: '', ...place, ...times, ...rounded, ...own }
    return { write: 'put-position', id, time, position, asOf }
  }
}

export function progressOf(asOf: number, isComplete = true): ReplicaProgress {
  const times = { retentionDays: null, droppedBefore: null }
  return {
    cursor: `${asOf}`,
    start: '0',
    asOf,
    distanceUnit: 'km',
    ...times,
    isComplete,
    options: '',
  }
}

/** Everything that a store has. */
export async function contentsOf(store: ReplicaStore) {
  const objects = Array.from(await store.items('object')).sort((a, b) => a.item.id - b.item.id)
  const trips = Array.from(await store.items('trip')).sort((a, b) => a.item.id - b.item.id)
  const positions = []
  for (const id of IDS) {
    for await (const row of store.positions(id, TIMES[0]!, TIMES.at(-1)!)) positions.push(row)
  }
  return { progress: await store.load(), objects, trips, positions }
}
