import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { withoutPostgres } from '../../../../server/testing/servers/installed.ts'
import { emptyDatabase } from '../../../../server/testing/servers/shared-postgres.ts'
import { memoryStore } from '../../replica/memory-store.ts'
import { tripOf } from '../../replica/page-parts.fixture.ts'
import type { ReplicaWrite } from '../../replica/replica-store.ts'
import { detailOf, distanceOf, engineHoursOf } from '../../replica/shown-object.ts'
import type { FleetObject, ObjectState } from '../../types.ts'
import {
  anyWrite,
  contentsOf,
  progressOf,
  putOf,
  TIMES,
  withoutOverlap,
} from '../any-writes.fixture.ts'
import { databaseAddress } from './connect.ts'
import { postgresTarget } from './postgres-target.ts'

const URL = 'http://fleet/public/v1'

let database: string
let schemas = 0
const newAddress = () => {
  schemas += 1
  return databaseAddress(`${database}?schema=copy_${schemas}`)
}

const anyPages = fc.array(
  fc.record({
    writes: fc.array(anyWrite, { maxLength: 8 }),
    isStart: fc.nat(9).map((draw) => draw === 0),
    isComplete: fc.nat(4).map((draw) => draw > 0),
  }),
  { minLength: 1, maxLength: 8 },
)

describe('Tables of PostgreSQL', { skip: withoutPostgres }, () => {
  before(async () => {
    database = await emptyDatabase()
  })

  it('have what a store in memory has, whatever the pages bring', async () => {
    await fc.assert(
      fc.asyncProperty(anyPages, async (pages) => {
        const model = memoryStore()
        const target = await postgresTarget(newAddress(), URL, true)
        for (const [index, { writes, isStart, isComplete }] of pages.entries()) {
          const asOf = index + 1
          const clear: ReplicaWrite[] = isStart ? [{ write: 'clear' }] : []
          const all = [...clear, ...withoutOverlap(writes.map((write) => write(asOf)))]
          const progress = progressOf(asOf, isComplete || index === pages.length - 1)
          for (const store of [model, target.store]) await store.commit(all, progress)
        }
        assert.deepEqual(await contentsOf(target.store), await contentsOf(model))
        await target.close()
      }),
      { numRuns: 25 },
    )
  })

  it('show rounded counters, and in the view those of the object where a position has none', async () => {
    const address = newAddress()
    const target = await postgresTarget(address, URL, false)
    const item = { id: 1, name: 'Van', ident: 'v', vehicle_data: { vin: 'V', plate_number: null } }
    const current = { attributes: { fuel: 61.5 }, attributes_at: { fuel: TIMES[0]! } }
    const counters = { odometer: 5, mileage: 6, engine_hours: 7 }
    const state = { id: 1, ...counters, latitude: 1, longitude: 2, ...current }
    const putItem = (kind: 'object' | 'state', each: object): ReplicaWrite =>
      ({ write: 'put', kind, id: 1, item: each, asOf: 1 }) as ReplicaWrite
    const position = putOf(1, TIMES[0]!, 12_345_678, null)(1)
    await target.store.commit(
      [putItem('object', item), putItem('state', state), position],
      progressOf(1),
    )
    const range = { id: 1, from: null, to: null }
    const amounts = { odometer_mm: 5_000, mileage_mm: 7, engine_hours_ms: 1_800 }
    await target.store.commit(
      [{ write: 'shift-positions', ...range, seq: 2, ...amounts }],
      progressOf(2),
    )
    const client = new pg.Client({ connectionString: address.url })
    await client.connect()
    const { rows } = await client.query(`SELECT * FROM ${address.schema}.histories`)
    assert.equal(rows.length, 1)
    const { odometer, mileage, engine_hours, name, time_device, attributes } = rows[0]
    assert.deepEqual(attributes, { fuel: 12_345_678, driver: 'B, "Bo" Ø', door: true })
    assert.deepEqual(
      { odometer, mileage, engine_hours, name, time_device: time_device.toISOString() },
      {
        odometer: distanceOf(12_350_678, 'km'),
        mileage: 6,
        engine_hours: engineHoursOf(12_347_478),
        name: 'Van',
        time_device: TIMES[0],
      },
    )
    const objects = await client.query(`SELECT * FROM ${address.schema}.objects`)
    const detail = detailOf(
      { item: item as FleetObject, asOf: 1 },
      { item: state as Partial<ObjectState> as ObjectState, asOf: 1 },
    )
    assert.deepEqual(
      [objects.rows[0].vin, objects.rows[0].latitude, objects.rows[0].odometer],
      ['V', detail.latitude, detail.odometer],
    )
    const { attributes: ofObject, attributes_at } = objects.rows[0]
    assert.deepEqual({ attributes: ofObject, attributes_at }, current)
    await client.end()
    await target.close()
  })

  it('show records under the present names of objects and places, until they go', async () => {
    const address = newAddress()
    const target = await postgresTarget(address, URL, true)
    const named = (kind: 'object' | 'site', id: number, name: string): ReplicaWrite =>
      ({ write: 'put', kind, id, item: { id, name, ident: 'v' }, asOf: 1 }) as never
    const trip = tripOf(11, 1, TIMES[1]!)
    const visit = { ...{ id: 12, object_id: 1, ident: 'v', name: 'Van', place_name: 'Depot' } }
    const stay = { place_type: 'site', place_id: 7, start_time: TIMES[0], open: true }
    const putVisit = { write: 'put', kind: 'visit', id: 12, item: { ...visit, ...stay }, asOf: 1 }
    const first = [
      ...[named('object', 1, 'Van'), named('site', 7, 'Depot'), putVisit as never],
      { write: 'put', kind: 'trip', id: 11, item: trip, asOf: 1 } as const,
    ]
    await target.store.commit(first, progressOf(1))
    await target.store.commit(
      [named('object', 1, 'Truck'), named('site', 7, 'Quay')],
      progressOf(2),
    )
    const client = new pg.Client({ connectionString: address.url })
    await client.connect()
    const rows = async (table: string, columns: string) =>
      (await client.query(`SELECT ${columns} FROM ${address.schema}.${table}`)).rows
    assert.deepEqual(await rows('trips', 'id, name, distance, open'), [
      { id: '11', name: 'Truck', distance: 1, open: false },
    ])
    assert.deepEqual(await rows('visits', 'name, place_name'), [
      { name: 'Truck', place_name: 'Quay' },
    ])
    const old: ReplicaWrite = { write: 'delete-records', id: null, endedBefore: TIMES[2]! }
    await target.store.commit([old], progressOf(3))
    assert.deepEqual([await rows('trips', 'id'), await rows('visits', 'id')], [[], [{ id: '12' }]])
    const gone: ReplicaWrite = { write: 'delete-records', id: 1, endedBefore: null }
    await target.store.commit([gone], progressOf(4))
    assert.deepEqual(await rows('visits', 'id'), [])
    await client.end()
    await target.close()
  })

  it('have one writer and one source', async () => {
    const address = newAddress()
    const first = await postgresTarget(address, URL, false)
    await assert.rejects(postgresTarget({ ...address, lockTimeout: '50ms' }, URL, false), {
      message: /^another pull is writing to this schema/,
    })
    await first.close()
    await assert.rejects(postgresTarget(address, 'http://other/public/v1', false), {
      message: /^the tables contain data of http:\/\/fleet\/public\/v1: /,
    })
  })
})
