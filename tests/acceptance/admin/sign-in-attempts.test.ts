import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  type AdminOptions,
  ask,
  cookieOf,
  EMAIL,
  operatorBy,
  PASSWORD,
  setUp,
} from '../harness/admin.ts'
import { stopClock } from '../harness/clock.ts'
import type { Json } from '../harness/fleetgate.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import type { Server } from '../harness/server.ts'
import { serveHere } from '../harness/server-here.ts'

const pass = stopClock()

/** Longer than any password, so the server need not hash it. */
const WRONG = 'x'.repeat(201)
/** The network of the operator, who set the password from there. */
const HOME = '192.0.2.10'

/** A server behind a proxy. This process plays the proxy and names the client in `X-Forwarded-For`. */
async function start(deployment = newDeployment()): Promise<Server> {
  const args = ['--geocoder', 'off', '--trust-proxy', 'loopback']
  const server = await serveHere(await deployment, args)
  after(() => server.stop())
  return server
}

function from(server: Server, client: string, path: string, options: AdminOptions = {}) {
  const headers = { origin: server.admin, 'x-forwarded-for': client, ...options.headers }
  return ask(server.admin, options.body === undefined ? 'GET' : 'POST', path, {
    ...options,
    headers,
  })
}

const attempt = (server: Server, client: string, password = WRONG, localAddress = '127.0.0.1') =>
  from(server, client, '/session', { body: { email: EMAIL, password }, localAddress })

/** Sets the password and signs in, both from the operator's address. */
async function settle(server: Server): Promise<string> {
  await setUp(server)
  return cookieOf(await attempt(server, HOME, PASSWORD))
}

/** The number of these attempts that the server checked. */
async function checked(server: Server, clients: string[]): Promise<number> {
  let count = 0
  for (const client of clients) {
    const { status } = await attempt(server, client)
    if (status === 401) count += 1
    else assert.equal(status, 429)
  }
  return count
}

const auditOf = async (server: Server, cookie: string): Promise<Json[]> =>
  (await operatorBy(() => server.admin, { cookie }).get('/audit?limit=100')).items

describe('Attempts at the password', async () => {
  const server = await start()
  const cookie = await settle(server)

  it('share one count for each /24 or /64', async () => {
    const v4 = Array.from({ length: 40 }, (_, i) => `198.51.100.${i + 1}`)
    assert.equal(await checked(server, v4), 5)
    const v6 = Array.from({ length: 40 }, (_, i) => `2001:db8:0:7::${(i + 1).toString(16)}`)
    assert.equal(await checked(server, v6), 5)
  })

  it('share a small limit for each /8, and do not delay other clients', async () => {
    // All strangers together have used up their ten attempts, and have the next one after the longest pause.
    pass(30_000)
    const clients = Array.from({ length: 300 }, (_, i) => `10.${i % 250}.${i >> 3}.1`)
    const wrong = 'a wrong password of a usual length'
    // From several addresses, because the server allows few connections from each.
    const flood = clients.map((client, i) =>
      attempt(server, client, wrong, `127.0.8.${(i % 4) + 1}`),
    )
    await Promise.race(flood)
    const home = await attempt(server, HOME, PASSWORD)
    const statuses = (await Promise.all(flood)).map(({ status }) => status)
    const seen = Object.entries(Object.groupBy(statuses, String)).map(
      ([status, all]) => `${all!.length} times ${status}`,
    )
    const about = `${seen.join(', ')}; the operator: ${home.status}`
    assert.equal(home.status, 204, about)
    assert.equal(statuses.filter((status) => status === 401).length, 1, about)
    assert.ok(
      statuses.every((status) => status === 401 || status === 429),
      about,
    )
  })

  it('do not lock out a browser that has signed in before, from any address', async () => {
    const settled = await start()
    await setUp(settled)
    const signedIn = await attempt(settled, HOME, PASSWORD)
    const cookie = (signedIn.headers['set-cookie'] ?? []).map((set) => set.split(';')[0]).join('; ')
    let isOver = false
    const travelling = '203.0.113.9'
    // Attackers take each place in the queue as soon as it is free.
    const attackers = [HOME, travelling].flatMap((address) =>
      Array.from({ length: 4 }, async () => {
        while (!isOver) await attempt(settled, address)
      }),
    )
    const body = { email: EMAIL, password: PASSWORD }
    for (const address of [HOME, travelling]) {
      const sent = () => from(settled, address, '/session', { body, headers: { cookie } })
      let answer = await sent()
      if (answer.status === 429) {
        pass(Number(answer.headers['retry-after']) * 1_000)
        answer = await sent()
      }
      if (answer.status !== 204) isOver = true
      assert.equal(answer.status, 204, address)
    }
    isOver = true
    await Promise.all(attackers)
  })

  it('are logged with their address, and without the attempted password', async () => {
    const linesOf = () => server.log.filter(({ attempt }) => attempt !== undefined)
    const lines = linesOf()
    assert.ok(lines.length >= 40 + 40 + 300, `${lines.length}`)
    const of = (outcome: string, address: string) =>
      lines.filter((line) => line.outcome === outcome && line.address === address).length
    assert.equal(of('succeeded', HOME), 2)
    assert.equal(of('failed', '198.51.100.1'), 1)
    assert.equal(of('refused', '198.51.100.40'), 1)
    assert.ok(!JSON.stringify(lines).includes(PASSWORD))
  })

  it('are in the audit log: one entry for each success and for each series of failures', async () => {
    const entries = await auditOf(server, cookie)
    const home = entries.filter(({ action }) => action === 'session.sign_in')
    const places = home.map(({ changes }) => changes.address.to)
    assert.deepEqual(places, [HOME, HOME, '127.0.0.1'])
    const series = entries.filter(({ action }) => action === 'session.sign_in_failed')
    assert.ok(series.length >= 1 && series.length <= 4, `${series.length}`)
    const { attempts, networks, sources } = series.at(-1).changes
    assert.ok(attempts.to >= 80 && networks.to >= 2, JSON.stringify(series))
    assert.match(sources.to, /198\.51\.100\.0\/24 \(40\)/)
    assert.match(sources.to, /2001:db8:0:7::\/64 \(40\)/)
  })
})

describe('The count of attempts', () => {
  it('survives a restart of the server', async () => {
    const deployment = newDeployment()
    const first = await start(deployment)
    await settle(first)
    const client = '203.0.113.5'
    const clients = Array.from({ length: 8 }, () => client)
    assert.equal(await checked(first, clients), 5)
    await first.stop()
    const second = await start(deployment)
    assert.equal(await checked(second, clients), 0)
    assert.equal((await attempt(second, HOME, PASSWORD)).status, 204)
  })
})
