import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { request } from '../../harness/client.ts'
import { resultOf } from '../../harness/envelope.ts'
import { fleetgate, fleetgateJson } from '../../harness/fleetgate.ts'
import { newDeployment } from '../../harness/new-deployment.ts'
import { PREFIX } from '../../harness/organization.ts'
import { serveHere } from '../../harness/server-here.ts'

const deployment = await newDeployment()
const json = (...args: string[]) => fleetgateJson([...args, ...deployment.args])
const run = (...args: string[]) => fleetgate([...args, ...deployment.args])

await json('org', 'create', 'Acme', '--create-objects')
const { key } = await json('key', 'issue', '--org', '1')
const { token } = await json('feed-token', 'issue', '--org', '1')
const server = await serveHere(deployment, ['--geocoder', 'off'])
after(() => server.stop())

const START = Date.UTC(2026, 0, 5, 8)
/** North at 40 km/h, a position every 30 seconds. The device's odometer counts 500 m for each. */
const rows = Array.from({ length: 2_000 }, (_, i) => ({
  ident: 'van',
  time_device: START + i * 30_000,
  latitude: 30 + i * 0.003,
  longitude: 2,
  speed: 40,
  odometer: 700 + i * 0.5,
}))

async function send(...sent: object[]) {
  const answer = await fetch(`${server.feed}/feed/v1/positions`, {
    method: 'POST',
    headers: { 'x-feed-token': token },
    body: JSON.stringify(sent),
  })
  assert.equal(answer.status, 200)
  return JSON.parse(await answer.text()).result
}

async function get(path: string) {
  return resultOf(await request(server.api, PREFIX + path, { headers: { 'x-api-key': key } }))
}

describe('A change of settings', () => {
  it('is applied to stored rows by recompute, while the server runs', async () => {
    assert.equal((await send(...rows)).stored, rows.length)
    const driven = (await get('/objects/1')).odometer
    // 1,999 steps of 0.003 degrees of latitude, at some 111 km each degree.
    assert.ok(driven > 660 && driven < 670, `${driven} km`)
    const { stderr } = await run(
      'objects',
      'update',
      '1',
      '--org',
      '1',
      '--odometer-type',
      'sensor',
    )
    assert.match(stderr, /'fleetgate recompute --org 1 --object 1' applies it/)
    const { objects, complete } = await json('recompute', '--org', '1')
    assert.deepEqual([objects, complete], [1, true])
    assert.equal((await get('/objects/1')).odometer, 1699.5)
    const day = 'from_time=2026-01-05&to_time=2026-01-06'
    const history = await get(`/objects/1/positions?${day}`)
    const read = history.map(({ odometer }: { odometer: number }) => odometer)
    assert.deepEqual(read, rows.map(({ odometer }) => odometer).slice(0, read.length))
    assert.ok(read.length > 1_900)
  })

  it('is explained by rejects if a vehicle does not move', async () => {
    const last = { ident: 'van', time_device: START + 90_000_000, latitude: 40, longitude: 2 }
    const { rejected } = await send(
      { ...last, hdop: 30, satellites: 3 },
      { ...last, latitude: 0, longitude: 0 },
    )
    assert.equal(rejected, 2)
    const rejects = await json('objects', 'rejects', '1', '--org', '1')
    const shownRejects = rejects.map(
      ({ reason, hdop, gps_level, latitude }: Record<string, unknown>) => [
        reason,
        hdop,
        gps_level,
        latitude,
      ],
    )
    assert.deepEqual(shownRejects.sort(), [
      ['hdop_above_maximum', 30, 3, 40],
      ['no_fix', null, null, 0],
    ])
  })
})
