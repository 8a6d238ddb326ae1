import assert from 'node:assert/strict'
import type { DerivedRecord, RecordPut, Stop, Trip, Visit } from '../../src/base/domain/record.ts'
import type { ChangeView } from '../../src/engine/store/change-log.ts'
import type {
  DerivedObject,
  DerivedWork,
  RecordProgress,
} from '../../src/engine/store/record-store.ts'
import type { Store } from '../../src/engine/store/store.ts'
import { idOf, NOW, newOrganization, objectSettings } from './fixture.ts'

export const HOLDER = 'a'
export const LEASE_MS = 60_000
export const NO_WORK: Omit<DerivedWork, 'from' | 'to'> = { objects: [], tasks: [], doneTasks: [] }

const SUMS = {
  idleTime: 7,
  positions: 3,
  longestGap: 9,
  box: { west: 1, south: 2, east: 3, north: 4 },
}

export function trip(start: number, end: number | null, until = end ?? start + 5): Trip {
  const at = (time: number) => ({
    time,
    latitude: 1.5,
    longitude: -2.5,
    address: 'A',
    odometer: time,
    engineHours: null,
  })
  const to = end === null ? null : at(end)
  const ends = { start, end, until, from: at(start), to }
  return {
    kind: 'trip',
    ...ends,
    ...SUMS,
    distance: 12,
    movingTime: 5,
    silentTime: 0,
    maxSpeed: 50.5,
  }
}

export function stop(start: number, end: number | null, until = end ?? start + 5): Stop {
  const places = { geofences: [4, 9], sites: [] }
  const where = { latitude: 1.5, longitude: -2.5, address: null }
  return { kind: 'stop', start, end, until, ...where, ...places, ...SUMS }
}

export function visit(
  place: number,
  start: number,
  end: number | null,
  until = end ?? start + 5,
): Visit {
  const bounds = { before: start - 1, after: end === null ? null : end + 1 }
  const counts = { distance: 4, positions: 2 }
  return { kind: 'visit', placeType: 'geofence', place, start, end, until, ...bounds, ...counts }
}

export const newPut = (
  id: number,
  record: DerivedRecord,
  more: Partial<RecordPut> = {},
): RecordPut => ({
  id,
  revision: 1,
  record,
  checkpoint: record.kind === 'stop' ? Uint8Array.of(id) : null,
  before: null,
  isChanged: true,
  updatedAt: NOW,
  isInTail: false,
  ...more,
})

export const derived = (object: number, puts: readonly RecordPut[]): DerivedObject => ({
  object,
  deletes: [],
  puts,
  tail: { open: [], progress: Uint8Array.of(1, 2, 3) },
})

/** An organization whose records this process derives, with some objects. */
export async function derivedOn(store: Store, objects = 1) {
  const organization = await newOrganization(store)
  const entries = Array.from({ length: objects }, (_, index) => objectSettings(`${index}`))
  const ids = (await store.objects.put(organization, entries, NOW)).map(idOf)
  await store.records.lease(HOLDER, LEASE_MS, [organization])

  return {
    organization,
    ids,
    object: ids[0]!,
    apply: (work: Partial<DerivedWork>) => applyOn(store, organization, work),
    view: <T>(work: (view: ChangeView) => Promise<T>) =>
      store.changeLog.view(organization, work) as Promise<T>,
  }
}

/** Writes records, up to the newest change. This process must hold the lease. */
export async function applyOn(
  store: Store,
  organization: number,
  work: Partial<DerivedWork>,
): Promise<RecordProgress> {
  const { seq } = (await store.changeLog.newest([organization])).get(organization)!
  const from = (await store.records.progress([organization])).get(organization) ?? null
  const ids = work.objects?.flatMap(({ puts }) => puts.map(({ id }) => id)) ?? []
  const to = { seq, at: NOW, lastId: Math.max(from?.lastId ?? 0, ...ids) }
  const applied = await store.records.apply(organization, HOLDER, { ...NO_WORK, from, to, ...work })
  assert.notEqual(applied, null)
  return applied!
}
