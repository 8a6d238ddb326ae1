import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { certificate, hasOpenssl } from '../../harness/certificate.ts'
import { startFleetProcess } from '../../harness/fleet.ts'
import { WHOLE_RANGE } from '../../harness/fleet-data.ts'
import { importSeconds, SECONDS_RANGE } from '../../harness/import-seconds.ts'
import { type Organization, PREFIX } from '../../harness/organization.ts'
import { serve } from '../../harness/server.ts'

const fleet = await startFleetProcess({ full: 1, plain: 11 })

const ROWS = 60_000
/** A draining server closes a connection without a request after this time. */
const QUIET_MS = 1_000

/** Whether the port accepts connections. */
function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

describe('SIGTERM', () => {
  it('lets a slow reader finish a stream', async () => {
    const { server } = fleet
    const organization = fleet.full[0]!
    await importSeconds(fleet, organization, ROWS)
    const path = `${PREFIX}/objects/${organization.objects.silent}/positions?${SECONDS_RANGE}`
    const headers = { 'x-api-key': organization.key }
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest(server.api + path, { headers, agent: false }, resolve)
        .on('error', reject)
        .end()
    })
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

  it('finishes every request in flight under keep-alive load, and exits with 0', async () => {
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
    while (whole < 20) await turn()
    signalledAt = performance.now()
    const code = await server.stop()
    await loads
    agent.destroy()
    assert.equal(code, 0)
    assert.ok(whole < 110, 'the load was over before the signal came')
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
