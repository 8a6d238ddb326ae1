import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { type Command, InvalidArgumentError } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { addressReader } from '../api/client-address.ts'
import type { Tls } from '../api/listener.ts'
import { type Deployment, openDeployment } from '../compose.ts'
import { issueDemoKey } from '../demo/demo-key.ts'
import { fillDemo, keepDriving } from '../demo/fill.ts'
import { systemClock } from '../domain/clock.ts'
import { type Server, serve } from '../serve.ts'
import { fold } from '../tracking/fold.ts'
import { command, option, type SharedOptions } from './command.ts'
import { EXIT, say, UsageError } from './failure.ts'
import { type Greeting, greet } from './greeting.ts'
import { openServerLog } from './server-log.ts'

type ServeOptions = SharedOptions & {
  host: string
  port: number
  adminPort: number
  tlsCert?: string
  tlsKey?: string
  trustProxy: string[]
  maxHistoryRows?: number
  maxHistoryDays?: number
  demo?: boolean
}

const DEMO_DATA = './demo-data'
const DEMO_STEP_MS = 5_000

export function serveCommand(): Command {
  return command('serve', 'serve the API of a data folder', [
    'serve --demo',
    'serve --data /var/lib/fleetgate',
    'serve --host 0.0.0.0 --port 443 --tls-cert cert.pem --tls-key key.pem',
    'serve --trust-proxy loopback,10.0.0.0/8',
  ])
    .addOption(option('--host <address>', 'address to listen on').default('127.0.0.1'))
    .addOption(
      option('--port <port>', 'port of the public API; 0 takes a free one')
        .default(7070)
        .argParser(readPort),
    )
    .addOption(
      option(
        '--admin-port <port>',
        'port of metrics and readiness, on loopback; 0 takes a free one',
      )
        .default(7072)
        .argParser(readPort),
    )
    .addOption(option('--tls-cert <file>', 'PEM certificate chain: HTTPS with HTTP/2 and HTTP/1.1'))
    .addOption(option('--tls-key <file>', 'PEM private key of the certificate'))
    .addOption(
      option(
        '--trust-proxy <list>',
        'proxies whose X-Forwarded-For is believed: addresses, CIDR ranges, loopback, linklocal, uniquelocal',
      )
        .default([], 'none')
        .argParser(readProxies),
    )
    .addOption(
      option('--max-history-rows <rows>', 'rows one history request may ask for').argParser(
        readMaximum,
      ),
    )
    .addOption(
      option('--max-history-days <days>', 'days one history request may span').argParser(
        readMaximum,
      ),
    )
    .addOption(option('--demo', `serve a simulated fleet, by default from ${DEMO_DATA}`))
    .action(run)
}

async function run(options: ServeOptions, self: Command): Promise<void> {
  const tls = readTls(options)
  const isDemo = options.demo === true
  const data = isDemo && self.getOptionValueSource('data') === 'default' ? DEMO_DATA : options.data
  const deployment = await openDeployment(data, systemClock)
  try {
    const demo = isDemo ? await prepareDemo(deployment) : undefined
    const log = openServerLog()
    const server = await serve(
      {
        host: options.host,
        port: options.port,
        adminPort: options.adminPort,
        tls,
        trustedProxies: options.trustProxy,
        limits: {
          maxHistoryRows: options.maxHistoryRows ?? null,
          maxHistoryDays: options.maxHistoryDays ?? null,
        },
      },
      { ...deployment, clock: systemClock, logger: log.logger },
    ).catch((error) => {
      throw namingPort(error)
    })
    const driving =
      demo === undefined
        ? undefined
        : keepDriving(deployment.store, systemClock, fold, demo.organization, DEMO_STEP_MS)
    if (tls === undefined && !isLoopback(server.api)) {
      say(
        `plain HTTP on ${server.api.address} sends API keys unencrypted; give --tls-cert and --tls-key, or end TLS in a proxy`,
      )
    }
    greet(greetingOf(server, tls !== undefined, data, demo), options.json === true)
    await stopSignal()
    say('stopping: no new connections, requests in flight are finished')
    driving?.stop()
    await server.stop()
    log.flush()
  } finally {
    await deployment.close()
  }
}

type Demo = { organization: number; key: string; firstObject: number }

/** Brings the simulated fleet up to the present moment and makes a key to it. */
async function prepareDemo({ store }: Deployment): Promise<Demo> {
  say('driving the demo fleet through its last 7 days')
  const { organization } = await fillDemo(store, systemClock, fold)
  const key = await issueDemoKey(store, organization, systemClock)
  const [first] = await store.objects.list(organization)
  return { organization, key, firstObject: first!.id }
}

function greetingOf(
  server: Server,
  isTls: boolean,
  data: string,
  demo: Demo | undefined,
): Greeting {
  const origin = `${isTls ? 'https' : 'http'}://${hostOf(server.api)}`
  return {
    version: manifest.version,
    data,
    api: origin,
    admin: `http://${hostOf(server.admin)}`,
    key: demo?.key,
    path: demo && `/public/v1/objects/${demo.firstObject}`,
  }
}

/** Resolves when the process is asked to stop; asked again, it stops at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(EXIT.failed)
        asked = true
        resolve()
      })
    }
  })
}

function readTls({ tlsCert, tlsKey }: ServeOptions): Tls | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new UsageError('--tls-cert and --tls-key go together; one of them is missing')
  }
  return { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) }
}

function readPort(written: string): number {
  const port = Number(written)
  if (!/^\d{1,5}$/.test(written) || port > 65_535) {
    throw new InvalidArgumentError('it must be a port, 0 to 65535')
  }
  return port
}

function readMaximum(written: string): number {
  const maximum = Number(written)
  if (!/^\d{1,15}$/.test(written) || maximum < 1) {
    throw new InvalidArgumentError('it must be a whole number of 1 or more')
  }
  return maximum
}

function readProxies(written: string): string[] {
  const proxies = written.split(',').map((entry) => entry.trim())
  try {
    addressReader(proxies)
  } catch {
    throw new InvalidArgumentError(
      'it must be addresses, CIDR ranges, loopback, linklocal or uniquelocal, separated by commas',
    )
  }
  return proxies
}

function namingPort(error: unknown): unknown {
  const { code, port, address } = error as { code?: string; port?: number; address?: string }
  if (code === 'EADDRINUSE') {
    return new Error(`port ${port} is taken already; choose another with --port or --admin-port`)
  }
  if (code === 'EACCES') {
    return new Error(`port ${port} needs more rights; choose one above 1023 with --port`)
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new Error(`'${address ?? ''}' is no address of this machine; choose another with --host`)
  }
  return error
}

function hostOf({ address, port, family }: AddressInfo): string {
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`
}

function isLoopback({ address }: AddressInfo): boolean {
  return address === '::1' || address.startsWith('127.')
}
