import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { isEmbedded } from '../harness/deployment.ts'
import { resultOf } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { PREFIX } from '../harness/organization.ts'
import { seen } from '../harness/seen.ts'
import type { Server } from '../harness/server.ts'
import { serveHere } from '../harness/server-here.ts'
import { untilYoungDay, yesterday } from '../harness/test-key.ts'

/** A server that waited for a request would give it up after 30 s. A busy machine takes seconds for the end alone. */
const PROMPTLY_MS = 20_000

const asked = async ({ api }: Server, key: string, path: string): Promise<Json> =>
  resultOf(await request(api, PREFIX + path, { headers: { 'x-api-key': key } }))

/** A deployment with an organization, and how it issues test keys. */
async function deployed() {
  await untilYoungDay()
  const deployment = await newDeployment()
  const { jsonHere } = await commandLine()
  const run = (...words: string[]) => jsonHere([...words, ...deployment.args])
  const { id } = await run('org', 'create', 'A')
  return {
    deployment,
    async issue(scenario = 'standard'): Promise<string> {
      const { key } = await run('key', 'issue', '--test', '--org', `${id}`, '--scenario', scenario)
      await seen(deployment)
      return key
    },
    async serve(): Promise<Server> {
      const server = await serveHere(deployment)
      after(() => server.stop())
      return server
    },
  }
}

describe('The simulated fleet', async () => {
  const { deployment, issue, serve } = await deployed()
  const [key, slowKey] = [await issue(), await issue('slow')]
  const server = await serve()

  it('is the same in every deployment', async () => {
    const other = await deployed()
    const fleets = [
      [server, key],
      [await other.serve(), await other.issue()],
    ] as const
    const [here, there] = await Promise.all(
      fleets.map(async ([api, itsKey]) => ({
        rows: await asked(api, itsKey, `/objects/4/positions?${yesterday()}`),
        trips: await asked(api, itsKey, `/trips?${yesterday()}&limit=20`),
        places: await asked(api, itsKey, '/geofences'),
      })),
    )
    assert.ok(here!.rows.length > 1_000)
    assert.deepEqual(here, there)
  })

  it('keeps no server from stopping, and goes on after a restart, with the same cursor', async () => {
    const { cursor, as_of: before } = await asked(server, key, '/changes?from=now')
    const places = await asked(server, key, '/geofences')
    const send = (path: string, itsKey = key, accept = 'application/json') =>
      get(`${server.api}${PREFIX}${path}`, {
        headers: { 'x-api-key': itsKey, accept },
        agent: false,
      })
    const stream = send('/changes?from=now', key, 'text/event-stream')
    const [opened] = (await once(stream, 'response')) as [IncomingMessage]
    opened.resume()
    // A held request, and an answer that is to begin late.
    const waiting = [send('/changes?from=now&wait=25'), send('/sites', slowKey)]
    const answering = waiting.map((sent) => once(sent, 'response'))
    await Promise.all(waiting.map((sent) => once(sent, 'finish')))
    const begun = performance.now()
    await server.stop()
    assert.ok(performance.now() - begun < PROMPTLY_MS)
    for (const [answer] of await Promise.all(answering)) {
      answer.resume()
      assert.equal(answer.statusCode, 200)
    }
    const next = await serve()
    const page = await asked(next, key, `/changes?cursor=${cursor}`)
    assert.deepEqual([page.snapshot, page.as_of >= before], [false, true])
    assert.deepEqual(await asked(next, key, '/geofences'), places)
  })

  it('has one window over all processes, and each accepts the cursors of the others', {
    skip: isEmbedded ? 'a data folder is served by one process' : false,
  }, async () => {
    const shared = await issue()
    const servers = [await serveHere(deployment), await serveHere(deployment)] as const
    const { cursor } = await asked(servers[0], shared, '/changes?from=now')
    const page = await asked(servers[1], shared, `/changes?cursor=${cursor}`)
    assert.equal(page.snapshot, false)
    const statuses: number[] = []
    for (let sent = 0; sent < 9; sent += 1) {
      const { api } = servers[sent % 2]!
      const answer = await request(api, `${PREFIX}/sites`, { headers: { 'x-api-key': shared } })
      statuses.push(answer.status)
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 200, 200, 429])
    await Promise.all(servers.map((each) => each.stop()))
  })
})
