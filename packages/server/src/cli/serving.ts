import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import manifest from '../../package.json' with { type: 'json' }
import type { Tls } from '../api/listener.ts'
import { openDeployment, openGeocoder } from '../compose.ts'
import { systemClock } from '../domain/clock.ts'
import { type Server, serve } from '../serve.ts'
import { type Demo, prepareDemo } from './demo.ts'
import { EXIT, say, UsageError } from './failure.ts'
import { type Greeting, greet } from './greeting.ts'
import { DEMO_DATA, type ServeOptions } from './serve.ts'
import { openServerLog } from './server-log.ts'

/** The whole life of a server process. `isDefaultData`: whether no data folder was given. */
export async function serveUntilStopped(
  options: ServeOptions,
  isDefaultData: boolean,
): Promise<void> {
  const tls = readTls(options)
  const isDemo = options.demo === true
  const data = isDemo && isDefaultData ? DEMO_DATA : options.data
  const deployment = await openDeployment(data, systemClock)
  try {
    const demo = isDemo ? await prepareDemo(deployment.store) : undefined
    const log = openServerLog((lines) => process.stdout.write(lines))
    const geocoder = openGeocoder(
      {
        source: options.geocoder,
        requestsPerSecond: options.geocoderRate,
        userAgent: options.geocoderUserAgent,
      },
      systemClock,
      (failure) => log.logger.error({ err: failure }, 'addresses are not found just now'),
    )
    const server = await serve(
      {
        host: options.host,
        port: options.port,
        adminPort: options.adminPort,
        feedPort: options.feedPort,
        tls,
        trustedProxies: options.trustProxy,
        limits: {
          maxHistoryRows: options.maxHistoryRows ?? null,
          maxHistoryDays: options.maxHistoryDays ?? null,
        },
      },
      { ...deployment, geocoder, clock: systemClock, logger: log.logger },
    ).catch((error) => {
      throw namingPort(error)
    })
    const driving = await demo?.drive(
      originOf(reachable(server.feed), tls !== undefined),
      log.logger,
    )
    if (tls === undefined && !isLoopback(server.api)) {
      say(
        `plain HTTP on ${server.api.address} sends API keys unencrypted; give --tls-cert and --tls-key, or end TLS in a proxy`,
      )
    }
    const isEmpty = (await deployment.store.organizations.list()).length === 0
    // Whoever hears that it serves may stop it at once.
    const asked = stopSignal()
    greet({ ...greetingOf(server, tls !== undefined, data, demo), isEmpty }, options.json === true)
    await asked
    say('stopping: no new connections, requests in flight are finished')
    await driving?.stop()
    await server.stop()
    log.flush()
  } finally {
    await deployment.close()
  }
}

function greetingOf(
  server: Server,
  isTls: boolean,
  data: string,
  demo: Demo | undefined,
): Omit<Greeting, 'isEmpty'> {
  return {
    version: manifest.version,
    data,
    api: originOf(server.api, isTls),
    feed: originOf(server.feed, isTls),
    admin: originOf(server.admin, false),
    demo,
  }
}

/** A launcher passes on what a terminal or a service manager has sent to its child already. */
const SAME_SIGNAL_MS = 500

/** Resolves when the process is asked to stop; asked again, it stops at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | undefined
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (askedAt !== undefined && performance.now() - askedAt > SAME_SIGNAL_MS) {
          process.exit(EXIT.failed)
        }
        askedAt ??= performance.now()
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

function namingPort(error: unknown): unknown {
  const { code, port, address } = error as { code?: string; port?: number; address?: string }
  if (code === 'EADDRINUSE') {
    return new Error(
      `port ${port} is taken already; choose another with --port, --feed-port or --admin-port`,
    )
  }
  if (code === 'EACCES') {
    return new Error(`port ${port} needs more rights; choose one above 1023 with --port`)
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new Error(`'${address ?? ''}' is no address of this machine; choose another with --host`)
  }
  return error
}

function originOf({ address, port, family }: AddressInfo, isTls: boolean): string {
  const host = family === 'IPv6' ? `[${address}]` : address
  return `${isTls ? 'https' : 'http'}://${host}:${port}`
}

/** Where the machine itself reaches a listener on all of its addresses. */
function reachable(address: AddressInfo): AddressInfo {
  const loopback = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address.address]
  return { ...address, address: loopback ?? address.address }
}

function isLoopback({ address }: AddressInfo): boolean {
  return address === '::1' || address.startsWith('127.')
}
