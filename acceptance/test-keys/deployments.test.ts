import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { type Deployment, isEmbedded } from '../harness/deployment.ts'
import { resultOf } from '../harness/envelope.ts'
import { fleetgateJson, type Json } from '../harness/fleetgate.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { PREFIX } from '../harness/organization.ts'
import type { Server } from '../harness/server.ts'
import { serveHere } from '../harness/server-here.ts'
import { yesterday } from '../harness/test-key.ts'

/** A server that waited for a request would give it up after 30 s. A busy machine takes seconds for the end alone. */
const PROMPTLY_MS = 20_000

async function issued({ args }: Deployment, ...scenario: string[]): Promise<string> {
  const { id } = await fleetgateJson(['org', 'create', 'A', ...args])
  const { key } = await fleetgateJson([
    'key',
    'issue',
    '--test',
    '--org',
    `${id}`,
    ...scenario,
    ...args,
  ])
  return key
}

const asked = async ({ api }: Server, key: string, path: string): Promise<Json> =>
  resultOf(await request(api, PREFIX + path, { headers: { 'x-api-key': key } }))

describe('The simulated fleet', () => {
  it('is the same in every deployment', async () => {
    const shown: Json[] = []
    for (const deployment of [await newDeployment(), await newDeployment()]) {
      const key = await issued(deployment)
      const server = await serveHere(deployment)
      // On either side of midnight the range is another one.
      const range = (shown[0]?.range as string) ?? yesterday()
      const rows = await asked(server, key, `/objects/4/positions?${range}`)
      const trips = await asked(server, key, `/trips?${range}&limit=20`)
      shown.push({ range, rows, trips, places: await asked(server, key, '/geofences') })
      await server.stop()
    }
    assert.ok(shown[0].rows.length > 1_000)
    assert.deepEqual(shown[0], shown[1])
  })

  it('goes on where it was after a restart, with the same cursor', async () => {
    const deployment = await newDeployment()
    const key = await issued(deployment)
    const first = await serveHere(deployment)
    const before = await asked(first, key, '/changes?limit=1000')
    const { cursor } = await asked(first, key, '/changes?from=now')
    await first.stop()
    const second = await serveHere(deployment)
    const next = await asked(second, key, `/changes?cursor=${cursor}`)
    assert.ok(next.as_of >= before.as_of)
    assert.equal(next.snapshot, false)
    const after = await asked(second, key, '/changes?limit=1000')
    const placesOf = ({ changes }: Json) => changes.filter(({ type }: Json) => type === 'geofence')
    assert.deepEqual(
      placesOf(after).map(({ geofence }: Json) => geofence),
      placesOf(before).map(({ geofence }: Json) => geofence),
    )
    await second.stop()
  })

  it('has one window over all processes, and a cursor of one is good for another', {
    skip: isEmbedded ? 'a data folder is served by one process' : false,
  }, async () => {
    const deployment = await newDeployment()
    const key = await issued(deployment)
    const servers = [await serveHere(deployment), await serveHere(deployment)] as const
    const { cursor } = await asked(servers[0], key, '/changes?from=now')
    const page = await asked(servers[1], key, `/changes?cursor=${cursor}`)
    assert.equal(page.snapshot, false)
    const statuses: number[] = []
    for (let sent = 0; sent < 9; sent += 1) {
      const { api } = servers[sent % 2]!
      const answer = await request(api, `${PREFIX}/sites`, { headers: { 'x-api-key': key } })
      statuses.push(answer.status)
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 200, 200, 429])
    await Promise.all(servers.map((server) => server.stop()))
  })

  for (const [what, scenario, path, accept] of [
    ['a held request', 'standard', '/changes?from=now&wait=25', 'application/json'],
    ['a stream', 'standard', '/changes?from=now', 'text/event-stream'],
    ['an answer that is to begin late', 'slow', '/sites', 'application/json'],
  ] as const) {
    it(`keeps no server from stopping: ${what}`, async () => {
      const deployment = await newDeployment()
      const key = await issued(deployment, '--scenario', scenario)
      const server = await serveHere(deployment)
      const sent = get(`${server.api}${PREFIX}${path}`, {
        headers: { 'x-api-key': key, accept },
        agent: false,
      })
      const answering = once(sent, 'response')
      const isStream = accept === 'text/event-stream'
      if (isStream) (await answering)[0].resume()
      else await once(sent, 'finish')
      const begun = performance.now()
      await server.stop()
      assert.ok(performance.now() - begun < PROMPTLY_MS)
      if (isStream) return
      const [answer] = await answering
      answer.resume()
      assert.equal(answer.statusCode, 200)
    })
  }
})
