import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ChangesPage } from '../changes/changes-page.ts'
import { memoryStore } from './memory-store.ts'
import { positionAt, timeAt } from './page-parts.fixture.ts'
import { pageWrites } from './page-writes.ts'
import type { ReplicaStore } from './replica-store.ts'

const OPTIONS = { options: '', hasRecords: true }
const DAY_MS = 86_400_000
const NOW = Date.parse(timeAt(0)) + DAY_MS

async function apply(store: ReplicaStore, pages: readonly ChangesPage[], now = NOW) {
  for (const page of pages) {
    const made = pageWrites(page, await store.load(), OPTIONS, now)
    if (made !== undefined) await store.commit(made.writes, made.progress)
  }
  return store
}

async function contentsOf(store: ReplicaStore) {
  const kinds = ['object', 'state', 'geofence', 'route', 'site', 'trip'] as const
  const items = await Promise.all(kinds.map(async (kind) => [...(await store.items(kind))]))
  const positions = []
  for (const id of [1, 2]) {
    for await (const row of store.positions(id, timeAt(0), timeAt(59))) positions.push(row)
  }
  return { progress: await store.load(), items, positions }
}

function pageOf(changes: object[], more: Partial<ChangesPage> = {}): ChangesPage {
  const facts = { as_of: 1, distance_unit: 'km', snapshot: true, cursor: 'a', has_more: false }
  return { ...facts, after: null, changes: changes as never, ...more } as ChangesPage
}

function put(time: string, mm: number) {
  const exact = { odometer_mm: mm, mileage_mm: null, engine_hours_ms: 0 }
  const position = { ...positionAt(1, time, mm), exact }
  return { type: 'position', op: 'put', late: false, position, seq: 1 }
}

const shift = (seq: number, mm: number) => ({
  ...{ type: 'counters', op: 'shift', id: 1, from_time: null, to_time: null, seq },
  ...{ odometer_mm: mm, mileage_mm: mm, engine_hours_ms: 0 },
})

const odometers = async (store: ReplicaStore) =>
  (await contentsOf(store)).positions.map(({ position }) => position.exact?.odometer_mm)

describe('Pages that are applied to a store', () => {
  it('write nothing if they come again, at once or later', async () => {
    const start = pageOf([put(timeAt(1), 100)], { has_more: true })
    const second = pageOf([shift(2, 10)], { after: 'a', cursor: 'b', as_of: 2 })
    const third = pageOf([put(timeAt(2), 1), shift(3, 1)], { after: 'b', cursor: 'c', as_of: 3 })
    const once = await apply(memoryStore(), [start, second, third])
    for (const again of [
      [start, start, second, second, third, third],
      [start, second, start, third, second, start],
    ]) {
      assert.deepEqual(await contentsOf(await apply(memoryStore(), again)), await contentsOf(once))
    }
  })

  it('move a row once by each change that is newer than its page', async () => {
    const store = await apply(memoryStore(), [
      pageOf([put(timeAt(1), 100)], { as_of: 5 }),
      pageOf([shift(5, 1_000), shift(6, 10), shift(6, 10)], { after: 'a', cursor: 'b', as_of: 6 }),
      pageOf([put(timeAt(2), 200), shift(7, 5)], { after: 'b', cursor: 'c', as_of: 8 }),
    ])
    assert.deepEqual(await odometers(store), [115, 200])
  })

  it('leave a counter alone that a position does not have', async () => {
    const store = await apply(memoryStore(), [
      pageOf([put(timeAt(1), 100)]),
      pageOf([shift(2, 10)], { after: 'a', cursor: 'b', as_of: 2 }),
    ])
    const [row] = (await contentsOf(store)).positions
    assert.deepEqual(row!.position.exact, {
      odometer_mm: 110,
      mileage_mm: null,
      engine_hours_ms: 0,
    })
  })

  it('drop what is older than the retention, and not again within the hour', async () => {
    const retention = { type: 'retention', op: 'put', days: 1, seq: 1 }
    const store = await apply(memoryStore(), [pageOf([put(timeAt(0), 1), put(timeAt(1), 2)])])
    const next = pageOf([retention], { after: 'a', cursor: 'b', as_of: 2 })
    await apply(store, [next], NOW + 1)
    assert.deepEqual(await odometers(store), [2])
    const last = pageOf([put(timeAt(0), 3)], { after: 'b', cursor: 'c', as_of: 3 })
    await apply(store, [last], NOW + 60_000)
    assert.deepEqual(await odometers(store), [3, 2])
  })

  it('drop what is older than the retention of its object: when that changes, and hourly', async () => {
    const own = (days: number | null) => ({
      type: 'object_retention',
      op: 'put',
      id: 1,
      days,
      seq: 2,
    })
    const other = { type: 'position', op: 'put', late: false, seq: 1 }
    const ofOther = { ...other, position: { ...positionAt(2, timeAt(0), 7), exact: undefined } }
    const rows = [put(timeAt(0), 1), put(timeAt(1), 2), ofOther]
    const store = await apply(memoryStore(), [pageOf(rows)])
    const next = (number: number, changes: object[]) =>
      pageOf(changes, { after: number === 0 ? 'a' : `b${number}`, cursor: `b${number + 1}` })
    await apply(store, [next(0, [own(1)])], NOW + 1)
    assert.deepEqual(await odometers(store), [2, undefined])
    await apply(store, [next(1, [put(timeAt(0), 3)])], NOW + 60_000)
    assert.deepEqual(await odometers(store), [3, 2, undefined])
    await apply(store, [next(2, [])], NOW + 3_600_001)
    assert.deepEqual(await odometers(store), [undefined])
    assert.deepEqual((await store.load())!.objectRetentionDays, { 1: 1 })
    await apply(store, [next(3, [own(null), put(timeAt(0), 4)])], NOW + DAY_MS)
    assert.deepEqual(await odometers(store), [4, undefined])
    assert.equal((await store.load())!.objectRetentionDays, undefined)
  })

  it('begin anew with a page that continues none, and show the old data until all is there', async () => {
    const store = await apply(memoryStore(), [pageOf([put(timeAt(1), 1)])])
    const start = pageOf([put(timeAt(2), 2)], { cursor: 'x', as_of: 9, has_more: true })
    await apply(store, [start])
    assert.deepEqual(await odometers(store), [1])
    await apply(store, [pageOf([put(timeAt(3), 3)], { after: 'x', cursor: 'y', as_of: 9 })])
    assert.deepEqual(await odometers(store), [2, 3])
  })

  it('drop records with their object, and those that ended before the retention', async () => {
    const trip = (id: number, object_id: number, end_time: string | null) => ({
      ...{ type: 'trip', op: 'put', seq: 1 },
      trip: { id, object_id, start_time: timeAt(0), end_time },
    })
    const trips = [trip(1, 1, null), trip(2, 2, timeAt(0)), trip(3, 2, timeAt(1)), trip(4, 2, null)]
    const store = await apply(memoryStore(), [pageOf(trips)])
    const gone = { type: 'object', op: 'delete', id: 1, seq: 2 }
    const retention = { type: 'retention', op: 'put', days: 1, seq: 2 }
    const next = pageOf([gone, retention], { after: 'a', cursor: 'b', as_of: 2 })
    await apply(store, [next], NOW + 1)
    assert.deepEqual(
      Array.from(await store.items('trip'), ({ item }) => item.id),
      [3, 4],
    )
  })

  it('ignore entries of types that this version does not know', async () => {
    const mood = { type: 'mood', op: 'put', mood: { id: 1 }, seq: 1 }
    const store = await apply(memoryStore(), [pageOf([mood, put(timeAt(1), 1)])])
    assert.deepEqual(await odometers(store), [1])
  })
})
