import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { PREFIX } from '../harness/organization.ts'
import { seen } from '../harness/seen.ts'
import { serveHere } from '../harness/server-here.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const DAY = '2026-11-20'
const MADRID = { latitude: 40.4168, longitude: -3.7038 }
const BARCELONA = { latitude: 41.4036, longitude: 2.1744 }
const AT_SEA = { latitude: 0, longitude: -30 }

type Position = { latitude: number; longitude: number; address?: string }

/** A server with this geocoder, and an organization that makes objects. */
async function open(geocoder: string) {
  const deployment = await newDeployment()
  const { jsonHere } = await commandLine()
  const run = (...args: string[]) => jsonHere([...args, ...deployment.args])
  await run('org', 'create', 'Acme', '--language', 'de', '--create-objects')
  const { key } = await run('key', 'issue', '--org', '1')
  const { token } = await run('feed-token', 'issue', '--org', '1')
  const server = await serveHere(deployment, ['--geocoder', geocoder])
  after(() => server.stop())
  const get = async (path: string) =>
    resultOf(await request(server.api, `${PREFIX}${path}`, { headers: { 'x-api-key': key } }))
  const objectOf = async (ident: string): Promise<Json> =>
    (await get('/objects')).find((each: Json) => each.ident === ident)
  return {
    /** Runs a command next to the server, and waits until the server has seen its changes. */
    async run(...args: string[]): Promise<void> {
      await run(...args)
      await seen(deployment)
    },
    async send(ident: string, hour: number, position: Position): Promise<void> {
      const row = { ident, time_device: `${DAY}T${hour}:00:00Z`, ...position }
      const answer = await request(server.feed, '/feed/v1/positions', {
        method: 'POST',
        headers: { 'x-feed-token': token },
        body: JSON.stringify([row]),
      })
      assert.equal(resultOf(answer).stored, 1)
    },
    objectOf,
    /** The addresses of the rows of an object, and of its latest position. */
    async addresses(ident: string): Promise<{ rows: Json[]; latest: Json }> {
      const { id } = await objectOf(ident)
      const rows = await get(`/objects/${id}/positions?from_time=${DAY}&to_time=${DAY}`)
      const [latest] = await get(`/positions/latest?ids=${id}`)
      return { rows: rows.map(({ address }: Json) => address), latest: latest.address }
    },
  }
}

describe('The address of a past position that was sent without one', async () => {
  const offline = await open('offline')

  it('is that of its own coordinates, regardless of later positions', async () => {
    await offline.send('van', 10, MADRID)
    await offline.send('van', 14, BARCELONA)
    await offline.send('van', 15, { latitude: 41.9, longitude: 3.2, address: 'Moll 1' })
    const { rows, latest } = await offline.addresses('van')
    assert.match(rows[0], /Madrid.*Spanien$/)
    assert.match(rows[1], /^Sagrada Família, .*Spanien$/)
    assert.deepEqual([rows[2], latest], ['Moll 1', 'Moll 1'])
  })

  it('is that of its own coordinates for imports, and for the latest position', async () => {
    const rows = [MADRID, BARCELONA].map(
      ({ latitude, longitude }, i) => `bus,${DAY}T${10 + 5 * i}:00:00Z,${latitude},${longitude}`,
    )
    const file = join(temporaryFolder(), 'positions.csv')
    writeFileSync(file, ['ident,time_device,latitude,longitude', ...rows].join('\n'))
    await offline.run('import', 'positions', '--org', '1', '--create-objects', file)
    const shown = await offline.addresses('bus')
    assert.match(shown.rows[0], /Madrid/)
    assert.match(shown.rows[1], /^Sagrada Família/)
    assert.equal(shown.latest, shown.rows[1])
  })

  it("is the object's last known one if no place is near, or geocoding is off", async () => {
    for (const [fleet, place] of [
      [offline, AT_SEA],
      [await open('off'), MADRID],
    ] as const) {
      await fleet.send('boat', 10, place)
      await fleet.send('boat', 14, { ...BARCELONA, address: 'Moll 1' })
      assert.deepEqual((await fleet.addresses('boat')).rows, ['Moll 1', 'Moll 1'])
    }
  })

  it('is the answer of a Nominatim server, or the nearest place without an answer', async () => {
    const fleet = await open(await nominatimServer({ road: 'Gran Vía', city: 'Madrid' }))
    await fleet.send('van', 12, MADRID)
    const giveUpAt = performance.now() + 30_000
    while ((await fleet.objectOf('van')).address === null) {
      assert.ok(performance.now() < giveUpAt, 'no address came')
      await wait(500)
    }
    // The fix is late, so no server is asked about it.
    await fleet.send('van', 11, BARCELONA)
    const [early, later] = (await fleet.addresses('van')).rows
    assert.match(early, /^Sagrada Família/)
    assert.equal(later, 'Gran Vía, Madrid')
  })
})

/** The URL of a server that answers every request with this address. */
async function nominatimServer(address: Record<string, string>): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ display_name: 'Somewhere', address }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
