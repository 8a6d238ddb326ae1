import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { type Sender, senderWith } from '../harness/sender.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { DAY, untilOf } from '../trips/records-fleet.ts'

const FIELDS = [
  ...['route_id', 'object_id', 'ident', 'name', 'deviation', 'distance', 'share_inside'],
  ...['deviations', 'waypoints'],
]
const STEP_MS = 10_000
/** Degrees of 100 m to the east at 41° north, and to the north. */
const [EAST, NORTH] = [100 / 84_152, 100 / 111_050]

const fleet = await startFleet()
const at = (step: number) => new Date(DAY + step * STEP_MS).toISOString()

/** 100 m to the east in each step, so many meters north of the street. */
const drive = (ident: string, north: (step: number) => number) =>
  Array.from({ length: 41 }, (_, step) => ({
    ...{ ident, time_device: at(step), speed: 36, ignition: true },
    latitude: 41 + (north(step) / 100) * NORTH,
    longitude: 2 + step * EAST,
  }))

/** A street of 4 km, with a waypoint at each end and one in the middle. */
const routes = (...features: { id: number; deviation?: number; orders: number[] }[]) => ({
  type: 'FeatureCollection',
  features: features.map(({ id, deviation, orders }) => ({
    type: 'Feature',
    properties: {
      ...{ id, deviation, name: `Street ${id}` },
      points: [0, 20, 40].map((step, index) => ({
        location: [2 + step * EAST, 41],
        order: orders[index],
      })),
    },
    geometry: {
      type: 'LineString',
      coordinates: [
        [2, 41],
        [2 + 40 * EAST, 41],
      ],
    },
  })),
})

async function senderOn(street: object): Promise<Sender & { idOf(ident: string): number }> {
  const sender = await senderWith(fleet, [
    ...drive('A-1', () => 20),
    ...drive('A-2', (step) => (step > 10 && step <= 20 ? 300 : 20)),
    ...drive('A-3', () => 0).map((row, step) => ({ ...row, time_device: at(40 - step) })),
  ])
  const file = join(temporaryFolder(), 'routes.geojson')
  writeFileSync(file, JSON.stringify(street))
  await fleet.run('import', 'routes', '--org', String(sender.id), file)
  return { ...sender, idOf: (ident) => sender.ids[['A-1', 'A-2', 'A-3'].indexOf(ident)]! }
}

describe('GET /routes/{id}/adherence: 200', async () => {
  const [street, free, backwards] = [990_001, 990_002, 990_003]
  const sender = await senderOn(
    routes(
      { id: street, deviation: 100, orders: [1, 2, 3] },
      { id: free, orders: [1, 2, 3] },
      { id: backwards, deviation: 100, orders: [3, 2, 1] },
    ),
  )
  const ask = (route: number, ident: string, range = 'from_time=2026-05-04&to_time=2026-05-04') =>
    sender.get(`/routes/${route}/adherence?object=${sender.idOf(ident)}&${range}`)
  const adherence = async (...asked: Parameters<typeof ask>): Promise<Json> =>
    resultOf(await ask(...asked))
  const inOrder = ({ waypoints }: Json) => waypoints.map((each: Json) => each.visited_in_order)

  it('tells how much of the way lay within the deviation, with the documented fields in their order', async () => {
    const answer = await ask(street, 'A-1')
    const result = resultOf(answer)
    assert.deepEqual(Object.keys(result), FIELDS)
    const { waypoints, distance, ...others } = result
    assert.deepEqual(others, {
      ...{ route_id: street, object_id: sender.idOf('A-1'), ident: 'A-1', name: 'A-1' },
      ...{ deviation: 100, share_inside: 1, deviations: [] },
    })
    assert.ok(distance > 3.98 && distance < 4.02, distance)
    for (const [index, step] of [0, 20, 40].entries()) {
      const { nearest_distance, ...waypoint } = waypoints[index]
      assert.deepEqual(waypoint, { order: index + 1, time: at(step), visited_in_order: true })
      assert.ok(Math.abs(nearest_distance - 20) < 0.5, nearest_distance)
    }
    assert.match(untilOf(answer)!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('tells when the object was outside, and how far', async () => {
    const { share_inside, deviations, waypoints } = await adherence(street, 'A-2')
    const [deviation, ...others] = deviations
    assert.deepEqual(others, [])
    assert.deepEqual([deviation.start_time, deviation.end_time], [at(11), at(20)])
    assert.ok(Math.abs(deviation.greatest_distance - 300) < 1, deviation.greatest_distance)
    // The way has 4,394 m. 900 m are outside, and 200 of the 280 m of each crossing leg of 297 m.
    assert.ok(Math.abs(share_inside - 0.6986) < 0.001, share_inside)
    assert.deepEqual(
      waypoints.map((each: Json) => each.visited_in_order),
      [true, false, true],
    )
  })

  it('finds the most waypoints that were visited in order', async () => {
    const oneOf = [true, false, false]
    assert.deepEqual(inOrder(await adherence(backwards, 'A-3')), [true, true, true])
    assert.deepEqual(inOrder(await adherence(street, 'A-3')).toSorted(), oneOf.toSorted())
  })

  it('has no share, and no deviations, if the route allows any', async () => {
    const { deviation, share_inside, deviations, waypoints } = await adherence(free, 'A-2')
    assert.deepEqual([deviation, share_inside, deviations], [null, null, []])
    assert.equal(waypoints[0].visited_in_order, null)
    assert.ok(Math.abs(waypoints[0].nearest_distance - 20) < 0.5)
  })

  it('compares only the range', async () => {
    const half = `from_time=${at(12)}&to_time=${at(18)}`
    const { distance, share_inside, deviations } = await adherence(street, 'A-2', half)
    assert.ok(distance > 0.59 && distance < 0.61, distance)
    assert.deepEqual(
      [share_inside, deviations[0].start_time, deviations[0].end_time],
      [0, at(12), at(18)],
    )
    const before = await adherence(street, 'A-2', 'from_time=2020-01-01&to_time=2020-01-02')
    assert.deepEqual([before.distance, before.share_inside, before.deviations], [null, null, []])
    assert.deepEqual(before.waypoints[2], {
      ...{ order: 3, nearest_distance: null, time: null, visited_in_order: false },
    })
  })

  it('costs the object one unit', async () => {
    await fleet.run('org', 'update', String(sender.id), '--daily-quota', '1')
    const other = await ask(street, 'A-1')
    assert.equal(other.json.errorCode, 'PUBLIC.400_005')
    await fleet.run('org', 'update', String(sender.id), '--daily-quota', '100')
    const left = async () => Number((await ask(street, 'A-1')).headers['x-quota-remaining'])
    const before = await left()
    assert.equal(await left(), before - 1)
  })
})
