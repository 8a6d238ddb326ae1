import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort, onFreePort } from './free-port.ts'

/** A real Redis of a test, on a free port, with a temporary folder. */
export type RedisServer = {
  readonly url: string
  /** Long enough for an answer while all processors are busy, for tests that are not about outages. */
  readonly patientUrl: string
  readonly port: number
  /** The process that runs now. */
  readonly pid: number
  signal(name: NodeJS.Signals): void
  /** SIGKILL. `start` starts it again on the same port. */
  kill(): Promise<void>
  start(): Promise<void>
  /** A connection for the test, closed with the server. */
  client(): Redis
  stop(): Promise<void>
}

const PATIENT = '?timeout=2000'

/** Forgets everything when it ends, unless the settings contain `--appendonly yes` or the like. */
export async function startRedis(...settings: string[]): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetgate-redis-'))
  const clients: Redis[] = []
  const common = ['--bind', '127.0.0.1', '--dir', folder, '--save', '', ...settings]
  const run = (port: number) => launch(['--port', `${port}`, ...common])
  let { port, server } = await onFreePort(run)

  async function kill(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }

  return {
    url: `redis://127.0.0.1:${port}`,
    patientUrl: `redis://127.0.0.1:${port}${PATIENT}`,
    port,
    get pid() {
      return server.pid!
    },
    signal(name) {
      server.kill(name)
    },
    kill,
    async start() {
      server = await run(port)
    },
    client() {
      const client = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null })
      client.on('error', () => {})
      clients.push(client)
      return client
    },
    async stop() {
      for (const client of clients) client.disconnect()
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function launch(settings: string[]): Promise<ChildProcess> {
  const server = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] })
  // A test that fails at once must not leave it running.
  const end = () => server.kill('SIGKILL')
  process.once('exit', end)
  server.once('exit', () => process.off('exit', end))
  const spoken: string[] = []
  // Read all output: a server blocks when its pipe is full.
  const lines = createInterface(server.stdout)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`redis-server has ended: ${spoken.join('\n')}`)))
    lines.on('line', (line) => {
      if (spoken.length < 50) spoken.push(line)
      if (/Ready to accept connections/.test(line)) resolve()
    })
  })
  return server
}

/** A Cluster with this many masters, each with one replica. */
export type RedisCluster = {
  /** The URL of all its servers. */
  readonly url: string
  readonly patientUrl: string
  /** All servers, the masters first. */
  readonly servers: readonly RedisServer[]
  /** The owner of a slot, as the other servers see it. */
  masterOf(slot: number): Promise<RedisServer>
  stop(): Promise<void>
}

const SLOTS = 16_384
const PATIENCE_MS = 30_000
/** After this time a silent server counts as gone. */
const NODE_TIMEOUT_MS = 1_000

export async function startRedisCluster(
  masters = 3,
  nodeTimeoutMs = NODE_TIMEOUT_MS,
): Promise<RedisCluster> {
  const servers: RedisServer[] = []
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()))
  }
  try {
    for (let i = 0; i < 2 * masters; i++) {
      const bus = await freePort()
      const timeout = ['--cluster-node-timeout', `${nodeTimeoutMs}`]
      const enabled = ['--cluster-enabled', 'yes', '--cluster-port', `${bus}`]
      servers.push(await startRedis(...enabled, ...timeout, '--repl-diskless-sync-delay', '0'))
    }
    await form(servers, masters)
  } catch (error) {
    await stop()
    throw error
  }
  const url = `redis://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`
  return {
    url,
    patientUrl: `${url}${PATIENT}`,
    servers,
    masterOf: (slot) => masterOf(servers, slot),
    stop,
  }
}

async function form(servers: RedisServer[], masters: number): Promise<void> {
  const clients = servers.map((server) => server.client())
  const [first] = clients as [Redis]
  const ids = await Promise.all(clients.map((client) => client.cluster('MYID')))
  for (const [i, client] of clients.entries()) {
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', `${i + 1}`)
    if (i < masters) {
      const from = Math.floor((i * SLOTS) / masters)
      const to = Math.floor(((i + 1) * SLOTS) / masters) - 1
      await client.call('CLUSTER', 'ADDSLOTSRANGE', `${from}`, `${to}`)
    }
  }
  for (const { port } of servers.slice(1)) await meet(first, port, servers)
  const isMet = async (client: Redis) => (await nodesOf(client)).length === servers.length
  for (const client of clients) await until(() => isMet(client))
  for (const [i, client] of clients.entries()) {
    if (i >= masters) await client.call('CLUSTER', 'REPLICATE', ids[i - masters]!)
  }
  for (const [i, client] of clients.entries()) {
    await until(async () => (await client.cluster('INFO')).includes('cluster_state:ok'))
    if (i >= masters) {
      await until(async () => (await client.info('replication')).includes('master_link_status:up'))
    }
  }
  // All servers know all owners.
  for (const client of clients) {
    await until(async () => {
      const replicas = (await nodesOf(client)).filter((line) => line.includes('slave'))
      return replicas.length === servers.length - masters
    })
  }
}

async function meet(first: Redis, port: number, servers: RedisServer[]): Promise<void> {
  const server = servers.find((each) => each.port === port)!
  const reply = (await server.client().config('GET', 'cluster-port')) as string[]
  await first.call('CLUSTER', 'MEET', '127.0.0.1', `${port}`, reply[1]!)
}

async function nodesOf(client: Redis): Promise<string[]> {
  const nodes = (await client.cluster('NODES' as 'INFO')) as string
  return nodes.split('\n').filter((line) => line !== '' && !line.includes('handshake'))
}

async function masterOf(servers: readonly RedisServer[], slot: number): Promise<RedisServer> {
  for (const { port } of servers) {
    const client = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: null })
    client.on('error', () => {})
    try {
      await client.connect()
      const range = (await client.cluster('SLOTS')).find(([first, last]) => {
        return first <= slot && slot <= last
      })
      const master = servers.find((each) => each.port === range?.[2]?.[1])
      if (master !== undefined) return master
    } catch {
      // It is down, so ask another.
    } finally {
      client.disconnect()
    }
  }
  throw new Error(`no server answers for slot ${slot}`)
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error('The Cluster was not formed in time.')
    await pause(20)
  }
}
