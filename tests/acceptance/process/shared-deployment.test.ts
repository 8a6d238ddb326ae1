import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { OWN_ADDRESS, reachedAt } from '../../../packages/server/testing/servers/own-address.ts'
import { startPostgres } from '../../../packages/server/testing/servers/postgres.ts'
import { startRedis } from '../../../packages/server/testing/servers/redis.ts'
import {
  emptyDatabase,
  serverUrl,
} from '../../../packages/server/testing/servers/shared-postgres.ts'
import { redisUrl } from '../../../packages/server/testing/servers/shared-redis.ts'
import { isEmbedded } from '../harness/deployment.ts'
import { BIN, endedOf, start, startProgram } from '../harness/fleetgate.ts'
import { inDatabase } from '../harness/in-database.ts'
import { commandLine } from '../harness/make-fleet.ts'
import { ON_FREE_PORTS, serve, served as servedBy } from '../harness/server.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const skip = isEmbedded ? false : 'it makes deployments of its own'
/** A server that must not start has ended after this time. */
const START_MS = 20_000
/** Between two requests of a caller: hundreds of requests during a replacement, and processors left for it. */
const PACE_MS = 5

async function served(t: TestContext, { database, redis }: Servers, ...args: string[]) {
  const serveArgs = ['--redis', redis]
  const deployment = { args: ['--database', database], serveArgs, folder: undefined, database }
  const server = await serve(deployment, ['--geocoder', 'off', ...args])
  t.after(server.kill)
  return server
}

type Servers = { database: string; redis: string }

/** New data on the servers of the run. */
const newData = async (): Promise<Servers> => ({
  database: await emptyDatabase(),
  redis: await redisUrl(),
})

/** The end of a server that must not start. */
function refused({ database, redis }: Servers, ...args: string[]) {
  const place = ['--database', database, '--redis', redis]
  const child = start(['serve', ...place, ...ON_FREE_PORTS, ...args])
  const timer = setTimeout(() => child.kill(), START_MS)
  return endedOf(child).finally(() => clearTimeout(timer))
}

const status = async (url: string, init?: RequestInit) => (await fetch(url, init)).status

async function statusBy(agent: Agent, url: string): Promise<number | undefined> {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response.statusCode
}

async function counted(admin: string, series: string): Promise<number> {
  const page = await (await fetch(`${admin}/metrics`)).text()
  const line = page.split('\n').find((each) => each.startsWith(`${series} `))
  return Number(line?.slice(series.length) ?? 0)
}

const PINGS = 'fleetgate_requests_total{operation="ping",status="200"}'

describe('A deployment on PostgreSQL and Redis', { concurrency: 2, skip }, () => {
  it('is served by several processes as if they were one', async (t) => {
    const data = await newData()
    const place = ['--database', data.database]
    const { jsonHere } = await commandLine()
    const { id } = await jsonHere(['org', 'create', 'Acme', ...place])
    const { key } = await jsonHere(['key', 'issue', '--org', `${id}`, ...place])
    const server = await served(t, data, '--processes', '2')
    assert.equal(await status(`${server.admin}/ready`), 200)
    // A new connection for each request, so that both processes get some.
    const headers = { connection: 'close' }
    for (let sent = 0; sent < 8; sent++) {
      assert.equal(await status(`${server.api}/public/v1/ping`, { headers }), 200)
    }
    assert.equal(await counted(server.admin, PINGS), 8)
    assert.equal(await counted(server.admin, 'fleetgate_processes'), 2)

    const windows = await Promise.all(
      Array.from({ length: 12 }, () =>
        status(`${server.api}/public/v1/geofences`, { headers: { ...headers, 'x-api-key': key } }),
      ),
    )
    assert.equal(windows.filter((each) => each === 200).length, 10, 'one window for both')

    assert.equal(await server.stop(), 0)
    assert.equal(server.log.filter(({ operation }) => operation === 'ping').length, 8)
  })

  const noOwnAddress = OWN_ADDRESS === undefined && 'this machine has no address but loopback'
  it('prints one warning if its servers are on another machine without encryption', {
    skip: noOwnAddress,
  }, async (t) => {
    const [database, redis] = await Promise.all(
      [await emptyDatabase(), await redisUrl()].map((url) => reachedAt(OWN_ADDRESS!, url)),
    )
    t.after(() => [database, redis].map((each) => each!.stop()))
    const data = { database: database!.url, redis: redis!.url }
    const server = await served(t, data, '--processes', '2')
    assert.equal(await server.stop(), 0)
    const warnings = server.stderr().match(/^.*not encrypted.*$/gm)
    assert.deepEqual(warnings, [
      `fleetgate: the connection to PostgreSQL at ${OWN_ADDRESS} is not encrypted, so others on the way can read and change what is sent: turn on TLS there (ssl = on), and give sslmode=verify-full in its URL`,
      `fleetgate: the connection to Redis at ${OWN_ADDRESS} is not encrypted, so others on the way can read and change what is sent: turn on TLS there, and give rediss:// in its URL`,
    ])
  })

  it('refuses to start with too few connections, and warns of a low number', async (t) => {
    const database = new URL(await emptyDatabase())
    const role = `few_${process.pid}`
    const admin = await serverUrl()
    await execute(admin, `CREATE ROLE ${role} LOGIN CONNECTION LIMIT 9`)
    await execute(admin, `ALTER DATABASE ${database.pathname.slice(1)} OWNER TO ${role}`)
    database.username = role
    const data = { database: database.href, redis: await redisUrl() }
    const { code, stderr } = await refused(data, '--processes', '2', '--role', 'api')
    assert.equal(code, 1)
    assert.match(stderr, /^fleetgate: PostgreSQL allows the role .* 9 .* needs 12 at least .*\n$/)

    await execute(admin, `ALTER ROLE ${role} CONNECTION LIMIT 20`)
    const server = await served(t, data)
    assert.equal(await status(`${server.admin}/ready`), 200)
    assert.equal(await server.stop(), 0)
    assert.match(server.stderr(), /allows the role .* 20 connections.* 24 at most, so requests can/)
  })

  it('goes on while its processes come and go', async (t) => {
    const data = await newData()
    const server = await served(t, data, '--processes', '2', '--role', 'api')
    const ping = () => status(`${server.api}/public/v1/ping`, { headers: { connection: 'close' } })
    /** Both processes serve again. Asking at full speed would delay just that. */
    const whole = async () => {
      while (
        (await counted(server.admin, 'fleetgate_processes')) !== 2 ||
        (await status(`${server.admin}/ready`)) !== 200
      ) {
        assert.equal(await ping(), 200)
        await wait(PACE_MS)
      }
    }

    await t.test('replaces a process that ends, and continues to count', async () => {
      for (let sent = 0; sent < 8; sent++) assert.equal(await ping(), 200)
      assert.equal(await counted(server.admin, PINGS), 8)
      const [worker] = await childrenOf(server.pid)
      process.kill(worker!, 'SIGKILL')
      await server.printed(/process \d+ ended with SIGKILL; another takes its place in 0\.1 s/)
      assert.equal(await ping(), 200, 'the other one')
      await whole()
      assert.ok((await counted(server.admin, PINGS)) >= 9)
    })

    await t.test('loses no connection when the process that received it is killed', async (t) => {
      const [worker] = await childrenOf(server.pid)
      // A stopped process accepts no connection, like a busy one.
      process.kill(worker!, 'SIGSTOP')
      const { port } = new URL(server.api)
      const sockets = Array.from({ length: 8 }, () => connect(Number(port), '127.0.0.1'))
      t.after(() => sockets.map((socket) => socket.destroy()))
      await Promise.all(
        sockets.map(async (socket) => {
          await once(socket, 'connect')
          socket.write('GET /public/v1/ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
        }),
      )
      process.kill(worker!, 'SIGKILL')
      await server.printed(new RegExp(`process ${worker} ended with SIGKILL`))
      const ends = await Promise.all(
        sockets.map((socket) =>
          Promise.race([
            text(socket).then((answer) => answer.slice(0, 12), String),
            wait(5_000, 'silence', { ref: false }),
          ]),
        ),
      )
      assert.deepEqual(ends, Array(8).fill('HTTP/1.1 200'))
    })

    await t.test(
      'replaces its processes on SIGHUP while they serve, and loses no request or count',
      async (t) => {
        await whole()
        const before = await childrenOf(server.pid)
        const countedBefore = await counted(server.admin, PINGS)
        let asked = 0
        let isReplaced = false
        // Each on a connection that is never idle: the server may close an idle one at any moment.
        const ask = async (keepAlive: boolean) => {
          const agent = new Agent({ keepAlive, maxSockets: 1 })
          t.after(() => agent.destroy())
          while (!isReplaced) {
            assert.equal(await statusBy(agent, `${server.api}/public/v1/ping`), 200)
            asked += 1
            await wait(PACE_MS)
          }
        }
        const asking = Promise.all([ask(true), ask(true), ask(false)])
        process.kill(server.pid, 'SIGHUP')
        await server.printed(/the processes are replaced/)
        isReplaced = true
        await asking
        const after = await childrenOf(server.pid)
        assert.equal(after.filter((pid) => before.includes(pid)).length, 0)
        assert.equal(after.length, 2)
        assert.equal(await counted(server.admin, PINGS), countedBefore + asked)
        assert.equal(await status(`${server.admin}/ready`), 200)
      },
    )

    await t.test('keeps its serving processes if replacements cannot serve', async () => {
      const before = await childrenOf(server.pid)
      const name = new URL(data.database).pathname.slice(1)
      await execute(await serverUrl(), `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
      process.kill(server.pid, 'SIGHUP')
      await server.printed(/with exit code 1 before it served: the old ones keep serving/)
      assert.deepEqual(await childrenOf(server.pid), before)
      assert.equal(await status(`${server.api}/public/v1/ping`), 200)
    })

    assert.equal(await server.stop(), 0)
  })

  it('starts the version that a link leads to by then on SIGHUP', async (t) => {
    const { database, redis } = await newData()
    const folder = temporaryFolder()
    const [link, next] = [join(folder, 'fleetgate.js'), join(folder, 'next.mjs')]
    symlinkSync(BIN, link)
    writeFileSync(next, `console.error('the next version'); await import('file://${BIN}')`)
    const place = ['--database', database, '--redis', redis, '--processes', '2']
    const serve = [process.execPath, link, 'serve', ...place, ...ON_FREE_PORTS]
    const server = await servedBy(startProgram([...serve, '--geocoder', 'off']))
    t.after(server.kill)
    symlinkSync(next, `${link}.new`)
    renameSync(`${link}.new`, link)
    process.kill(server.pid, 'SIGHUP')
    await server.printed(/the processes are replaced/)
    assert.equal(server.stderr().match(/^the next version$/gm)?.length, 2)
    assert.equal(await status(`${server.api}/public/v1/ping`), 200)
    assert.equal(await server.stop(), 0)
  })

  it('starts processes with the Node.js of a link, and says why if that is gone', async (t) => {
    const { database, redis } = await newData()
    const folder = temporaryFolder()
    const [first, next, link] = ['first', 'next', 'present'].map((name) => join(folder, name))
    for (const version of [first!, next!]) mkdirSync(version)
    copyFileSync(process.execPath, join(first!, 'node'))
    symlinkSync(process.execPath, join(next!, 'node'))
    symlinkSync(first!, link!)
    const place = ['--database', database, '--redis', redis, '--processes', '2']
    const serve = [join(link!, 'node'), BIN, 'serve', ...place, ...ON_FREE_PORTS]
    const server = await servedBy(startProgram([...serve, '--geocoder', 'off']))
    t.after(server.kill)
    symlinkSync(next!, `${link}.new`)
    renameSync(`${link}.new`, link!)
    rmSync(first!, { recursive: true })
    process.kill(server.pid, 'SIGHUP')
    await server.printed(/the processes are replaced/)
    rmSync(next!, { recursive: true })
    process.kill(server.pid, 'SIGHUP')
    await server.printed(/ended with 'spawn .*ENOENT' before it served: the old ones keep serving/)
    assert.equal(await status(`${server.api}/public/v1/ping`), 200)
    assert.equal(await server.stop(), 0)
  })

  it('refuses to start several processes if a port is taken, and reports it once', async (t) => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    t.after(() => taken.close())
    const { port } = taken.address() as { port: number }
    const { code, stderr } = await refused(await newData(), '--port', `${port}`, '--processes', '2')
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`^fleetgate: port ${port} is already in use.*\n$`))
  })
})

describe('A deployment whose servers are down', { concurrency: 2, skip }, () => {
  for (const processes of ['1', '2']) {
    it(`shuts down in order: ${processes} processes`, async (t) => {
      const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
      t.after(() => Promise.all([postgres.stop(), redis.stop()]))
      const database = await postgres.database()
      const data = { database, redis: redis.url }
      const server = await served(t, data, '--processes', processes)
      await Promise.all([postgres.stop(), redis.kill()])
      const asked = performance.now()
      assert.equal(await server.stop(), 0)
      assert.ok(performance.now() - asked < 15_000, `${performance.now() - asked} ms`)
    })
  }

  it('is served without Redis, and reports it', async (t) => {
    const redis = await startRedis()
    await redis.kill()
    t.after(() => redis.stop())
    const server = await served(t, { database: await emptyDatabase(), redis: redis.url })
    assert.equal(await status(`${server.api}/public/v1/ping`), 200)
    assert.equal(await status(`${server.admin}/ready`), 200)
    assert.equal(await server.stop(), 0)
    assert.match(JSON.stringify(server.log), /Redis does not answer/)
  })
})

/** Runs one statement on a database server. */
const execute = (url: string, statement: string) =>
  inDatabase(url, (client) => client.query(statement))

/** The children of a process. */
async function childrenOf(parent: number): Promise<number[]> {
  const { readFile } = await import('node:fs/promises')
  const text = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8')
  return text.trim().split(' ').map(Number)
}
