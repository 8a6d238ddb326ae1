import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { openEvents } from '../harness/events.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'
import { RANGE, sentDrives } from '../trips/records-fleet.ts'

const RECORDS = 'types=trips,stops,visits'
const WITHOUT_RECORDS = ['retention', 'object', 'route', 'site', 'state']
const fleet = await sharedFleet()
const putsIn = (entries: Json[], type: string) =>
  entries.filter((entry) => entry.type === type && entry.op === 'put').map((entry) => entry[type])
const ofDrive = ({ ident }: Json) => ident.startsWith('C-')
const typesIn = (entries: Json[]) => [...new Set(entries.map(({ type }) => type))]

describe('GET /changes of trips, stops and visits: 200', () => {
  it('derives them for a reader that names them, and shows them as the lists do', async () => {
    const own = await sentDrives(fleet, ['C-1', 'C-2'])
    const [first] = own.ids as [number]
    const read = async (path: string) => resultOf(await own.get(path))
    const before = await read('/changes?limit=10000')
    assert.deepEqual(typesIn(before.changes), WITHOUT_RECORDS)

    const page = await read(`/changes?${RECORDS}&limit=10000`)
    assert.deepEqual(typesIn(page.changes), ['retention', 'trip', 'stop', 'visit'])
    for (const type of ['trip', 'stop', 'visit']) {
      const listed = await read(`/${type}s?${RANGE}&ids=${own.ids.join()}`)
      assert.deepEqual(putsIn(page.changes, type).filter(ofDrive), listed, type)
    }
    const chosen = await read(`/changes?types=trips&ids=${first}`)
    assert.deepEqual(
      putsIn(chosen.changes, 'trip').map(({ object_id }) => object_id),
      [first],
    )

    // A cursor keeps the types that it began with; a later one has records among them.
    const changed = await read(`/changes?cursor=${before.cursor}`)
    assert.deepEqual(changed.changes, [])
    const later = await read('/changes')
    assert.deepEqual(typesIn(later.changes), [...WITHOUT_RECORDS, 'trip', 'stop', 'visit'])
  })

  it('names what a late position, an edited place and a deleted object change of them', async () => {
    const own = await sentDrives(fleet, ['C-3', 'C-4'])
    const [first, second] = own.ids as [number, number]
    let page = resultOf(await own.get(`/changes?${RECORDS},objects`))
    const [trip] = putsIn(page.changes, 'trip').filter(ofDrive)
    const [visit] = putsIn(page.changes, 'visit').filter(ofDrive)
    const until = async (isIt: (entry: Json) => boolean) => {
      for (;;) {
        page = resultOf(await own.get(`/changes?cursor=${page.cursor}&wait=20`))
        const found = page.changes.find(isIt)
        if (found !== undefined) return found
      }
    }
    const time_device = new Date(Date.parse(trip.start_time) + 65_000).toISOString()
    const late = { latitude: 41.001, longitude: 2.0077, speed: 36, ignition: true }
    await own.post([{ ident: 'C-3', time_device, ...late }])
    const changed = await until(({ type, op }) => type === 'trip' && op === 'put')
    assert.deepEqual([changed.trip.id, changed.trip.object_id], [trip.id, first])
    assert.ok(changed.trip.revision > trip.revision)
    assert.equal(changed.trip.positions, trip.positions + 1)

    const org = ['--org', String(own.id), '--yes']
    await fleet.run('sites', 'delete', String(visit.place_id), ...org)
    const left = await until(({ type, op }) => type === 'visit' && op === 'delete')
    assert.ok(Number.isInteger(left.id))

    await fleet.run('objects', 'delete', String(second), ...org)
    const gone = await until(({ type, op }) => type === 'object' && op === 'delete')
    assert.deepEqual([gone.id, page.changes.at(-1)], [second, gone])
  })

  it('comes as a stream of events', async () => {
    const own = await sentDrives(fleet, ['C-5'])
    const headers = { 'x-api-key': own.key, accept: 'text/event-stream' }
    const events = await openEvents(
      `${fleet.server.api}${PREFIX}/changes?from=now&types=stops`,
      headers,
    )
    assert.ok('next' in events)
    const time_device = new Date().toISOString()
    await own.post([{ ident: 'C-5', time_device, latitude: 42, longitude: 2, speed: 0 }])
    const { data } = await events.until(({ data }) => data.changes.length > 0)
    events.close()
    assert.deepEqual(typesIn(data.changes), ['stop'])
  })

  it('is refused without a subscription, as positions are: 403', async () => {
    const own = fleet.take()
    const { cursor } = resultOf(await own.get('/changes?from=now&types=visits'))
    await fleet.json('org', 'update', String(own.id), '--subscription', 'suspended')
    for (const query of ['types=trips', `cursor=${cursor}`]) {
      const answer = await own.get(`/changes?${query}`)
      assertRefused(answer, 403, 'SUBSCRIPTION.403_002', /contact .*admin/i)
    }
    resultOf(await own.get('/changes?types=objects,sites'))
  })
})
