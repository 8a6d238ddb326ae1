import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  Fleetgate,
  InvalidRequestError,
  NotFoundError,
  type Position,
  QuotaExhaustedError,
  SubscriptionInactiveError,
  UnauthorizedError,
} from '../../../packages/client/src/index.ts'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Organization } from '../harness/organization.ts'

const fleet = await startFleet({ full: 1, plain: 7 })

const clientOf = ({ key }: Organization) =>
  new Fleetgate({ baseUrl: fleet.server.api, apiKey: key })

const RANGE = { from: '2024-01-01', to: '2024-12-31' }

async function all(rows: AsyncIterable<Position>): Promise<Position[]> {
  return Array.fromAsync(rows)
}

describe('The client', () => {
  it('returns the lists of the API', async () => {
    const organization = fleet.full[0]!
    const client = clientOf(organization)
    for (const kind of ['objects', 'attributes', 'geofences', 'routes', 'sites'] as const) {
      const list = await client[kind].list()
      assert.ok(list.length > 0)
      assert.deepEqual(list, resultOf(await organization.get(`/${kind}`)))
    }
  })

  it('returns the objects and positions of the API', async () => {
    const organization = fleet.take()
    const client = clientOf(organization)
    const { van, truck } = organization.objects
    const latest = resultOf(await organization.get(`/positions/latest?ids=${truck},${van}`))
    assert.deepEqual(await client.positions.latest([truck, van, truck]), latest)
    assert.equal((await client.objects.get(van)).ident, latest[1].ident)
    assert.deepEqual(await client.ping(), { status: 'ok' })
  })

  it('returns the days of the API, and its adherence to a route', async () => {
    const organization = fleet.take()
    const client = clientOf(organization)
    const { route, objects } = organization
    const day = '2024-05-06'
    const days = resultOf(await organization.get(`/days?from_date=${day}&to_date=${day}`))
    assert.equal(days.length, 3)
    const range = { from: day, to: day }
    assert.deepEqual(await Array.fromAsync(client.days({ ...range, pageSize: 2 })), days)
    const inTokyo = { ...range, timeZone: 'Asia/Tokyo', ids: [objects.longHaul] }
    assert.equal((await Array.fromAsync(client.days(inTokyo))).length, 1)
    const path = `/routes/${route}/adherence?object=${objects.van}&from_time=${day}&to_time=${day}`
    const adherence = resultOf(await organization.get(path))
    assert.equal(adherence.waypoints.length, 2)
    assert.deepEqual(
      await client.routes.adherence(route, { object: objects.van, ...range }),
      adherence,
    )
  })

  it('reads a whole history in one page or in many', async () => {
    const organization = fleet.take()
    const client = clientOf(organization)
    const { van } = organization.objects
    const path = `/objects/${van}/positions?from_time=${RANGE.from}&to_time=${RANGE.to}`
    const rows = resultOf(await organization.get(path))
    assert.ok(rows.length > 6)
    assert.deepEqual(await all(client.positions.history(van, RANGE)), rows)
    assert.deepEqual(await all(client.positions.history(van, { ...RANGE, pageSize: 3 })), rows)
  })

  it('stops a history when its reader stops', async () => {
    const organization = fleet.take()
    const seen: Position[] = []
    for await (const row of clientOf(organization).positions.history(
      organization.objects.van,
      RANGE,
    )) {
      seen.push(row)
      if (seen.length === 2) break
    }
    assert.equal(seen.length, 2)
  })

  it('ends a history with the abort reason of the caller', async () => {
    const organization = fleet.take()
    const { van } = organization.objects
    const leaving = new AbortController()
    const { signal } = leaving
    const rows = clientOf(organization).positions.history(van, { ...RANGE, signal })
    assert.equal((await rows.next()).done, false)
    leaving.abort(new Error('enough'))
    await assert.rejects(rows.next(), /^Error: enough$/)
    assert.equal((await rows.next()).done, true)
  })

  it('accepts any number of ids', async () => {
    const organization = fleet.take()
    const { van, truck } = organization.objects
    const foreign = Array.from({ length: 1_500 }, (_, i) => 800_000_000 + i)
    const rows = await clientOf(organization).positions.latest([van, ...foreign, truck])
    assert.deepEqual(
      rows.map(({ id }) => id),
      [van, truck],
    )
    assert.deepEqual(await clientOf(organization).positions.latest([]), [])
  })

  it('throws an error of a class for each kind of refusal', async () => {
    const organization = fleet.take()
    const client = clientOf(organization)
    const { van } = organization.objects
    const stranger = new Fleetgate({ baseUrl: fleet.server.api, apiKey: 'fg_live_nobody' })
    await assert.rejects(stranger.objects.list(), UnauthorizedError)
    await assert.rejects(client.objects.get(987_654_321), NotFoundError)
    await assert.rejects(client.positions.latest([987_654_321]), NotFoundError)
    await assert.rejects(
      all(client.positions.history(van, { from: 'soon', to: 'later' })),
      (error) => {
        assert.ok(error instanceof InvalidRequestError)
        assert.equal(error.code, 'PUBLIC.400_001')
        assert.match(error.message, /from_time/)
        return true
      },
    )
    await fleet.run('org', 'update', String(organization.id), '--daily-quota', '0')
    await assert.rejects(client.positions.latest([van]), QuotaExhaustedError)
    await fleet.run('org', 'update', String(organization.id), '--subscription', 'suspended')
    await assert.rejects(client.positions.latest([van]), SubscriptionInactiveError)
  })
})
