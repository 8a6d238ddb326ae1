import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { certificate, hasOpenssl } from '../../harness/certificate.ts'
import { assertEra, feedLoad } from '../../harness/feed-load.ts'
import { startFleetProcess } from '../../harness/fleet.ts'
import { WHOLE_RANGE } from '../../harness/fleet-data.ts'
import { importSeconds, SECONDS_RANGE } from '../../harness/import-seconds.ts'
import { type Organization, PREFIX } from '../../harness/organization.ts'
import { senderOf } from '../../harness/sender.ts'
import { serve } from '../../harness/server.ts'
import { listens, openAnswer } from '../../harness/watched-process.ts'

const fleet = await startFleetProcess({ full: 1, plain: 13 })

const ROWS = 60_000
/** A draining server closes a connection without a request after this time. */
const QUIET_MS = 1_000

describe('SIGTERM', () => {
  it('lets a slow reader finish a stream', async () => {
    const { server } = fleet
    const organization = fleet.full[0]!
    await importSeconds(fleet, organization, ROWS)
    const path = `${PREFIX}/objects/${organization.objects.silent}/positions?${SECONDS_RANGE}`
    const answer = await openAnswer(server.api + path, organization.key)
    // The client starts to read after the server has received the signal, so some of the rows are not sent yet.
    const stopped = server.stop()
    while (await listens(server.port)) await turn()
    assert.equal(JSON.parse(await text(answer)).result.length, ROWS)
    assert.equal(await stopped, 0)
  })

  it('lets a reader over TLS finish that pauses for longer than the idle timeout', {
    skip: hasOpenssl ? false : 'openssl is not installed',
  }, async () => {
    await fleet.server.stop()
    const server = await serve(fleet.deployment, certificate().args)
    const { key, objects } = fleet.full[0]!
    const path = `${PREFIX}/objects/${objects.silent}/positions?${SECONDS_RANGE}`
    const options = { headers: { 'x-api-key': key }, agent: false, rejectUnauthorized: false }
    const request = httpsRequest(server.api + path, options).end()
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    const stopped = server.stop()
    while (await listens(server.port)) await turn()
    await pause(QUIET_MS + 500)
    assert.equal(JSON.parse(await text(answer)).result.length, ROWS)
    assert.equal(await stopped, 0)
  })

  it('finishes every request in flight under load of the API and of the feed, and exits with 0', async () => {
    const senders = [fleet.take(), fleet.take()]
    const feeds = await Promise.all(
      senders.map(async (each, i) =>
        feedLoad(await senderOf(fleet, each, '--create-objects'), `bus-${i}`),
      ),
    )
    await fleet.restart((server) => server.kill())
    const { server } = fleet
    const agent = new Agent({ keepAlive: true })
    let whole = 0
    let signalledAt = Number.POSITIVE_INFINITY

    /**
     * Sends requests until the server accepts none. Each request sent before the signal must get a complete
     * answer.
     */
    async function load(organization: Organization): Promise<void> {
      const path = `${PREFIX}/objects/${organization.objects.longHaul}/positions?${WHOLE_RANGE}`
      for (let count = 0; count < 10; count++) {
        const sentAt = performance.now()
        try {
          assert.equal(await rowsOf(server.api + path, organization.key, agent), 1200)
          whole += 1
        } catch (error) {
          if (sentAt < signalledAt) throw error
          return
        }
      }
    }

    const organizations = Array.from({ length: 11 }, () => fleet.take())
    const loads = Promise.all(organizations.map(load))
    const feeding = Promise.all(feeds.map((feed) => feed.run(0)))
    const acknowledged = () => feeds.flatMap(({ sent }) => sent.filter((each) => each.acknowledged))
    while (whole < 20 || acknowledged().length < 100) await turn()
    signalledAt = performance.now()
    const code = await server.stop()
    await loads
    agent.destroy()
    assert.equal(code, 0)
    assert.ok(whole < 110, 'the load was over before the signal came')
    for (const unansweredAt of (await feeding).flat()) {
      assert.ok(unansweredAt >= signalledAt, 'a packet sent before the signal was not answered')
    }
    await fleet.restart((server) => server.kill())
    for (const feed of feeds) await assertEra(feed, 0)
  })
})

function rowsOf(url: string, key: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    httpRequest(url, { agent, headers: { 'x-api-key': key } }, async (answer) => {
      try {
        const text = Buffer.concat(await answer.toArray()).toString()
        resolve(JSON.parse(text).result.length)
      } catch (error) {
        reject(error)
      }
    })
      .on('error', reject)
      .end()
  })
}
