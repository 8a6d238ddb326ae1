import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { INSTANT, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { ROUTE_LINES, ROUTE_POINTS } from '../harness/places.ts'

const FIELDS = [
  ...['id', 'name', 'description', 'color', 'deviation'],
  ...['points', 'coordinates', 'created_at', 'updated_at'],
]

const fleet = await startFleet()

describe('GET /routes: 200', () => {
  it('returns waypoints and lines as imported, by id', async () => {
    const routes = resultOf(await fleet.full[0]!.get('/routes'))
    for (const route of routes) {
      assert.deepEqual(Object.keys(route), FIELDS)
      for (const point of route.points) assert.deepEqual(Object.keys(point), ['location', 'order'])
      assert.match(route.created_at, INSTANT)
      assert.match(route.updated_at, INSTANT)
    }
    const [round, shuttle] = routes
    assert.equal(round.name, 'Morning round')
    assert.equal(round.description, 'Depot to harbour')
    assert.equal(round.color.toLowerCase(), '#0088ff')
    assert.equal(round.deviation, 120.5)
    assert.deepEqual(round.points, ROUTE_POINTS)
    assert.deepEqual(round.coordinates, ROUTE_LINES)
    assert.deepEqual([shuttle.description, shuttle.color, shuttle.deviation], [null, null, null])
  })

  it('returns a line with the shape of a MultiLineString and its ends as waypoints; Answers: route `coordinates`', async () => {
    const [, shuttle] = resultOf(await fleet.full[0]!.get('/routes'))
    assert.deepEqual(shuttle.coordinates, [ROUTE_LINES[0]])
    assert.deepEqual(
      shuttle.points.map((point: { location: number[] }) => point.location),
      ROUTE_LINES[0],
    )
    assert.ok(shuttle.points[0].order < shuttle.points[1].order)
  })

  it('returns an empty array for an organization without routes', async () => {
    const organization = fleet.take()
    const of = ['--org', String(organization.id), '--yes']
    await fleet.run('routes', 'delete', String(organization.route), ...of)
    assert.deepEqual(resultOf(await organization.get('/routes')), [])
  })
})
