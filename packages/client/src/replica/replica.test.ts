import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { openConnection } from '../answering-server.fixture.ts'
import { LISTED } from '../changes/change-kinds.ts'
import type { Changes, FleetObject, Position } from '../types.ts'
import { memoryStore } from './memory-store.ts'
import { positionAt, stateOf, timeAt, tripOf } from './page-parts.fixture.ts'
import { type ReplicaOptions, replica } from './replica.ts'

const DAY_MS = 86_400_000
const NOW = Date.parse(timeAt(0))
const NEVER = { time_server: null, time_device: null, time_last_idle: null }

function objectOf(id: number, more: Partial<FleetObject> = {}): FleetObject {
  const object = {
    ...{ id, name: `Van ${id}`, ident: `ident ${id}`, ...NEVER, time_last_move: null },
    ...{ time_last_stop: null, engine_hours: 1, engine_hours_type: 'system', odometer: 2 },
    ...{ odometer_type: 'system', vehicle_data: { vin: null, plate_number: null }, mileage: 3 },
    ...{ address: null, accuracy: {}, created_at: timeAt(0), ...more },
  }
  return object as FleetObject
}

const put = {
  object: (object: FleetObject) => ({ type: 'object', op: 'put', object, seq: 1 }),
  state: (id: number, time: string) => ({
    ...{ type: 'state', op: 'put', state: stateOf(id, time), seq: 1 },
  }),
  position: (id: number, time: string, counter: number | null) => {
    const exact = { odometer_mm: counter, mileage_mm: counter, engine_hours_ms: counter }
    const position = { ...positionAt(id, time, 0), exact }
    return { type: 'position', op: 'put', late: false, position, seq: 1 }
  },
  retention: (days: number) => ({ type: 'retention', op: 'put', days, seq: 1 }),
  objectRetention: (id: number, days: number) => ({
    ...{ type: 'object_retention', op: 'put', id, days, seq: 1 },
  }),
}

function pageOf(number: number, changes: object[], more: Partial<Changes> = {}): Changes {
  const facts = { as_of: number, distance_unit: 'km', snapshot: false, has_more: false } as const
  return { ...facts, cursor: `c${number}`, changes: changes as never, ...more }
}

/** A replica of a server that answers these pages, one after each cursor. */
async function open(t: TestContext, pages: Changes[], options: ReplicaOptions = {}, now = NOW) {
  const paths: string[] = []
  const { connection } = await openConnection(t, (response, _, { url }) => {
    paths.push(url!)
    const after = new URL(url!, 'http://x').searchParams.get('cursor')
    const next = pages.findIndex(({ cursor }) => cursor === after) + 1
    const result = pages[next] ?? { ...pages.at(-1)!, changes: [] }
    response.end(JSON.stringify({ statusCode: 200, result }))
  })
  const made = replica(connection, options, () => now)
  const history = async (id: number, from: Date | string, to: Date | string) => {
    const rows: Position[] = []
    for await (const row of made.positions.history(id, { from, to })) rows.push(row)
    return rows
  }
  return {
    replica: made,
    paths,
    history,
    again: (more: ReplicaOptions) => replica(connection, more, () => now),
  }
}

describe('A replica', () => {
  it('shows records of a range by object and start, with the present names, while they are kept', async (t) => {
    const object = (id: number, name: string) => put.object(objectOf(id, { name }))
    const trip = (id: number, owner: number, end: string | null) => ({
      ...{ type: 'trip', op: 'put', trip: tripOf(id, owner, end), seq: 1 },
    })
    const visit = { id: 9, object_id: 1, place_type: 'site', place_id: 7, place_name: 'Depot' }
    const stay = { type: 'visit', op: 'put', seq: 1 }
    const times = { start_time: timeAt(0), end_time: null }
    const { replica, paths } = await open(
      t,
      [
        pageOf(1, [
          ...[object(1, 'Van 1'), object(2, 'Van 2'), trip(3, 2, timeAt(1)), trip(4, 1, null)],
          ...[trip(5, 1, timeAt(1)), { ...stay, visit: { ...visit, ...times } }],
        ]),
        pageOf(2, [
          ...[
            object(1, 'Truck'),
            { type: 'site', op: 'put', site: { id: 7, name: 'Quay' }, seq: 2 },
          ],
          { type: 'trip', op: 'delete', id: 5, seq: 2 },
        ]),
      ],
      { records: true },
    )
    await replica.sync()
    await replica.sync()
    assert.match(decodeURIComponent(paths[0]!), /types=objects,.*,trips,stops,visits,levels&/)
    const range = { from: timeAt(0), to: timeAt(5) }
    const shown = await Array.fromAsync(replica.trips(range))
    assert.deepEqual(
      shown.map(({ id, name }) => [id, name]),
      [
        [4, 'Truck'],
        [3, 'Van 2'],
      ],
    )
    const [stayed] = await Array.fromAsync(replica.visits(range))
    assert.equal(stayed?.place_name, 'Quay')
    const later = { from: timeAt(2), to: timeAt(5), ids: [1, 2] }
    assert.equal((await Array.fromAsync(replica.trips(later))).length, 1)
    assert.deepEqual(await Array.fromAsync(replica.stops(range)), [])
  })

  it('shows an object with the newer of its own entry and its state', async (t) => {
    const older = put.object(objectOf(1, { odometer: 5, time_device: timeAt(0) }))
    const state = put.state(1, timeAt(1))
    const newer = put.object(objectOf(1, { odometer: 9, time_device: timeAt(2), name: 'New' }))
    const { replica } = await open(t, [
      pageOf(1, [older, state, put.object(objectOf(2))], { has_more: true }),
      pageOf(2, [newer]),
    ])
    for await (const _ of replica.follow({ live: false })) {
      const [shown] = await replica.objects.list()
      const isFirst = shown!.name === 'Van 1'
      assert.equal(shown!.odometer, isFirst ? 8 : 9)
      assert.equal(shown!.time_device, timeAt(isFirst ? 1 : 2))
      assert.deepEqual(Object.keys(shown!), Object.keys(objectOf(1)))
      assert.equal((await replica.objects.get(1))!.latitude, 41)
    }
    const silent = { latitude: null, longitude: null, altitude: null, angle: null, speed: null }
    assert.deepEqual(await replica.objects.get(2), { ...objectOf(2), ...silent })
    assert.equal(await replica.objects.get(3), undefined)
  })

  it('gives a position the counters of its object where it has none of its own', async (t) => {
    const rows = [put.position(1, timeAt(0), null), put.position(1, timeAt(1), 5_000_000)]
    const pages = [pageOf(1, [put.object(objectOf(1)), put.state(1, timeAt(1)), ...rows])]
    for (const [unit, odometer] of [
      ['km', 5],
      ['mi', 3.11],
    ] as const) {
      const of = await open(t, [{ ...pages[0]!, distance_unit: unit }], { positions: true })
      await of.replica.sync()
      const shown = await of.history(1, timeAt(0), '2026-11-20')
      assert.deepEqual(
        shown.map((row) => [row.odometer, row.mileage, row.engine_hours, row.name]),
        [
          [8, 9, 7, 'Van 1'],
          [odometer, odometer, 1.389, 'Van 1'],
        ],
      )
      assert.deepEqual(Object.keys(shown[0]!), Object.keys(positionAt(1, timeAt(0), 0)))
      const ofObject = { odometer: 8, mileage: 9, engine_hours: 7 }
      assert.deepEqual(await of.replica.positions.latest(), [{ ...shown[1]!, ...ofObject }])
    }
  })

  it('shows a counter that a shift brought below zero as 0', async (t) => {
    const rows = [put.object(objectOf(1)), put.position(1, timeAt(0), -5_000_000)]
    const { replica, history } = await open(t, [pageOf(1, rows)], { positions: true })
    await replica.sync()
    const shown = await history(1, timeAt(0), '2026-11-20')
    assert.deepEqual(
      shown.map((row) => [row.odometer, row.mileage, row.engine_hours]),
      [[0, 0, 0]],
    )
  })

  it('shows latest positions without keeping positions, in the order of the ids', async (t) => {
    const entries = [put.object(objectOf(1)), put.object(objectOf(2)), put.state(1, timeAt(1))]
    const { replica, history } = await open(t, [pageOf(1, entries)])
    await replica.sync()
    const rows = await replica.positions.latest([2, 7, 1])
    assert.deepEqual(
      rows.map(({ id, latitude, time_server }) => [id, latitude, time_server]),
      [
        [2, null, null],
        [1, 41, timeAt(1)],
      ],
    )
    assert.deepEqual(Object.keys(rows[0]!), Object.keys(positionAt(1, timeAt(0), 0)))
    assert.deepEqual(await history(1, '2026-11-20', '2026-11-20'), [])
  })

  it('takes the times of a range as the API does', async (t) => {
    const rows = [0, 1, 2].map((minute) => put.position(1, timeAt(minute), 1))
    const pages = [pageOf(1, [put.object(objectOf(1)), ...rows])]
    const { replica, history } = await open(t, pages, { positions: true })
    await replica.sync()
    const ranges = [
      ['2026-11-20', '2026-11-20', 3],
      ['2026-11-20T10:01:00', '2026-11-20T11:01:00+01:00', 1],
      [new Date(NOW + 1), new Date(NOW + 60_000), 1],
      ['2026-11-19', '2026-11-19', 0],
    ] as const
    for (const [from, to, count] of ranges) {
      assert.equal((await history(1, from, to)).length, count, `${from} ${to}`)
    }
  })

  it('hides what is older than the retention before it drops it', async (t) => {
    const rows = [0, 1].map((minute) => put.position(1, timeAt(minute), 1))
    for (const retentions of [
      [put.retention(1)],
      [put.retention(9), put.objectRetention(1, 1), put.objectRetention(2, 9)],
      [put.retention(1), put.objectRetention(1, 9)],
    ]) {
      const entries = [...retentions, put.object(objectOf(1)), ...rows]
      const store = memoryStore()
      const { replica } = await open(t, [pageOf(1, entries)], { positions: true, store })
      await replica.sync()
      const later = await open(t, [], { positions: true, store }, NOW + DAY_MS + 1)
      assert.equal((await later.history(1, '2026-11-20', '2026-11-20')).length, 1)
    }
  })

  it('continues from its store, and starts again with other options', async (t) => {
    const store = memoryStore()
    const pages = [pageOf(1, [put.object(objectOf(1))])]
    const { replica, again, paths } = await open(t, pages, { store })
    await replica.sync()
    await again({ store }).sync()
    await again({ store, ids: [1] }).sync()
    const [first, second, third] = paths.map((path) => new URL(path, 'http://x').searchParams)
    assert.equal(first!.get('types'), ['objects', 'states', ...Object.values(LISTED)].join())
    assert.deepEqual(
      [first, second, third].map((query) => query!.get('cursor')),
      [null, 'c1', null],
    )
    assert.equal(third!.get('ids'), '1')
  })

  it('is followed by one iteration at a time', async (t) => {
    const { replica } = await open(t, [pageOf(1, [])])
    const pages = replica.follow()
    assert.equal((await pages.next()).done, false)
    await assert.rejects(replica.sync(), /already being followed/)
    await pages.return()
    await replica.sync()
  })
})
