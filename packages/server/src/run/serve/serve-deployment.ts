import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import manifest from '../../../package.json' with { type: 'json' }
import type { Clock } from '../../base/domain/time/time.ts'
import type { Logger, OpenListenerLog } from '../../base/http/listener-log.ts'
import type { AdminApi, ServerFacts } from '../../faces/admin/admin-api.ts'
import {
  type AdminListener,
  type AdminProbes,
  listenAdmin,
} from '../../faces/admin/admin-listener.ts'
import { openConsoleFiles } from '../../faces/admin/console-files.ts'
import { type Deployment, openGeocoder } from '../compose.ts'
import { CONSOLE } from '../console-folder.ts'
import { UsageError } from '../failure.ts'
import { addressLimits } from '../listeners.ts'
import { type Server, serve } from '../serve.ts'
import { fromOutside, originOf } from './listener-addresses.ts'
import type { ServeOptions } from './serve-options.ts'
import { signOnOf } from './sign-on-options.ts'
import { boundWhileServing } from './young-generation.ts'

/** Starts the roles of a process over an opened deployment. */
export function serveDeployment(
  options: ServeOptions,
  deployment: Deployment,
  clock: Clock,
  logger: Logger,
): Promise<Server> {
  const tls = readTls(options)
  boundWhileServing()
  // A server is asked where positions come in; elsewhere they are only read.
  const isAsking = options.role.includes('feed') || options.geocoder === 'off'
  const geocoder = openGeocoder(
    {
      source: isAsking ? options.geocoder : 'offline',
      // Processes that share the ports share the rate that the geocoder's server permits.
      requestsPerSecond: options.geocoderRate / options.processes,
      userAgent: options.geocoderUserAgent,
    },
    clock,
    (failure) => logger.error({ err: failure }, 'addresses cannot be found at the moment'),
  )
  return serve(
    {
      roles: options.role,
      host: options.host,
      port: options.port,
      feedPort: options.feedPort,
      tls,
      trustedProxies: options.trustProxy,
      maxConnectionsPerAddress: options.maxConnectionsPerAddress,
      historyLimits: {
        maxHistoryRows: options.maxHistoryRows ?? null,
        maxHistoryDays: options.maxHistoryDays ?? null,
      },
      changesDays: options.changesDays,
      maxStreams: options.maxStreams,
      webhookNetworks: options.webhookNetworks,
      apiUrl: options.apiUrl ?? '',
      contact: options.contact ?? null,
      signOn: signOnOf(options),
      about: (api, feed) => aboutOf(options, api, feed),
    },
    { ...deployment, geocoder, clock, logger },
  ).catch((error) => {
    throw listeningError(error, options)
  })
}

/** Opens the operator's listener of a server, or of several processes that act as one. */
export function openAdmin(
  reported: AdminProbes,
  api: AdminApi | null,
  logOf: OpenListenerLog,
  options: ServeOptions,
): Promise<AdminListener> {
  const { adminHost, adminPort, consoleUrl } = options
  const console = api && { api, files: openConsoleFiles(CONSOLE, api.about.tiles) }
  const place = { host: adminHost, port: adminPort, consoleUrl: consoleUrl ?? null }
  const limits = {
    ...addressLimits(options.maxConnectionsPerAddress, options.trustProxy),
    inAll: Infinity,
    ...logOf('admin'),
  }
  return listenAdmin(reported, console, place, limits).catch((error) => {
    throw listeningError(error, options)
  })
}

/** The public addresses of the listeners: as configured, or as they are. */
export function aboutOf(
  options: ServeOptions,
  api: AddressInfo | null,
  feed: AddressInfo | null,
): ServerFacts {
  const isTls = isSecure(options)
  return {
    version: manifest.version,
    apiUrl: options.apiUrl ?? (api && originOf(fromOutside(api), isTls)),
    feedUrl: options.feedUrl ?? (feed && originOf(fromOutside(feed), isTls)),
    consoleUrl: options.consoleUrl ?? null,
    tiles: options.mapTiles ?? null,
    tilesAttribution: options.mapAttribution ?? null,
  }
}

/** Reads the certificate again. If that fails, new connections get the previous one. */
export function renewCertificate(server: Server, options: ServeOptions, logger: Logger): void {
  try {
    const tls = readTls(options)
    if (tls === undefined) {
      logger.line('"msg":"SIGHUP is ignored: there is no certificate to reload"')
      return
    }
    server.renewCertificate(tls)
    const validTo = JSON.stringify(new X509Certificate(tls.cert).validToDate)
    logger.line(`"valid_to":${validTo},"msg":"the certificate was reloaded"`)
  } catch (error) {
    logger.error(
      { err: error },
      'the certificate could not be reloaded; new connections use the previous one',
    )
  }
}

export function isSecure({ tlsCert }: ServeOptions): boolean {
  return tlsCert !== undefined
}

function readTls({ tlsCert, tlsKey }: ServeOptions) {
  if (tlsCert === undefined && tlsKey === undefined) return undefined
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new UsageError('use --tls-cert and --tls-key together')
  }
  return { cert: readPem('--tls-cert', tlsCert), key: readPem('--tls-key', tlsKey) }
}

function readPem(option: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new Error(`'${file}' of ${option} cannot be read: ${(error as Error).message}`)
  }
}

/** Why a listener could not be opened, and what to do. */
function listeningError(error: unknown, { feedPort, adminPort }: ServeOptions): unknown {
  const { code, port, address } = error as { code?: string; port?: number; address?: string }
  const option = port === adminPort ? '--admin-port' : port === feedPort ? '--feed-port' : '--port'
  if (code === 'EADDRINUSE') {
    return new Error(`port ${port} is already in use; choose another with ${option}`)
  }
  if (code === 'EACCES') {
    return new Error(`port ${port} requires more privileges; choose one above 1023 with ${option}`)
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new Error(
      `'${address ?? ''}' is not an address of this machine; choose another with --host or --admin-host`,
    )
  }
  return error
}
