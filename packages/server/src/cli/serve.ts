import { type Command, InvalidArgumentError } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { addressReader } from '../api/client-address.ts'
import type { DeploymentLocation } from '../compose.ts'
import type { Role } from '../serve.ts'
import { command, option, type SharedOptions } from './command.ts'
import { consoleOptions } from './console-options.ts'
import { UsageError } from './failure.ts'
import { type GeocoderOptions, geocoderOptions } from './geocoder-option.ts'
import {
  type DeploymentLocationOptions,
  deploymentLocationOf,
  sharedDeploymentOptions,
} from './location.ts'
import { roleOption } from './role-option.ts'

export type ServeOptions = SharedOptions &
  DeploymentLocationOptions &
  GeocoderOptions & {
    role: readonly Role[]
    processes: number
    host: string
    port: number
    adminHost: string
    adminPort: number
    feedPort: number
    tlsCert?: string
    tlsKey?: string
    trustProxy: string[]
    maxConnectionsPerAddress: number
    maxHistoryRows?: number
    maxHistoryDays?: number
    apiUrl?: string
    feedUrl?: string
    consoleUrl?: string
    mapTiles?: string
    mapAttribution?: string
    demo?: boolean
  }

export function serveCommand(): Command {
  const made = command('serve', 'serve the API of a data folder, or of a database', [
    'serve --demo',
    'serve --data /var/lib/fleetgate',
    'serve --host 0.0.0.0 --port 443 --tls-cert cert.pem --tls-key key.pem',
    'serve --trust-proxy loopback,10.0.0.0/8',
    'serve --database postgres://fleetgate@db/fleetgate --redis redis://cache:6379',
    'serve --role api --processes 4',
  ])
  for (const each of sharedDeploymentOptions()) made.addOption(each)
  made
    .addOption(
      option('--strict-limits', 'answer 503 while Redis is down, rather than limit by the process'),
    )
    .addOption(roleOption())
    .addOption(
      option('--processes <count>', 'processes that share the ports; more than 1 need a database')
        .default(1)
        .argParser(readProcesses),
    )
    .addOption(option('--host <address>', 'address to listen on').default('127.0.0.1'))
    .addOption(
      option('--port <port>', 'port of the public API; 0 takes a free one')
        .default(7070)
        .argParser(readPort),
    )
    .addOption(
      option('--feed-port <port>', 'port on which trackers send positions; 0 takes a free one')
        .default(7071)
        .argParser(readPort),
    )
    .addOption(
      option('--admin-host <address>', 'address of the console, metrics and readiness').default(
        '127.0.0.1',
      ),
    )
    .addOption(
      option(
        '--admin-port <port>',
        'port of the console, metrics and readiness; 0 takes a free one',
      )
        .default(7072)
        .argParser(readPort),
    )
    .addOption(option('--tls-cert <file>', 'PEM certificate chain: HTTPS (HTTP/1.1)'))
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
      option(
        '--max-connections-per-address <count>',
        'open connections of one address on each listener; 0 is no limit, loopback and trusted proxies have none',
      )
        .default(256)
        .argParser(readConnections),
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
  for (const each of consoleOptions()) made.addOption(each)
  for (const each of geocoderOptions(manifest.version)) made.addOption(each)
  return made
    .addOption(option('--demo', `serve a simulated fleet, by default from ${DEMO_DATA}`))
    .action(async (_options: ServeOptions, self: Command) => {
      const asked = askedOf(self)
      // Loaded on demand: no other command needs a server's parts.
      if (asked.options.processes === 1) {
        const { serveUntilStopped } = await import('./serving.ts')
        return serveUntilStopped(asked)
      }
      const { serveByProcesses } = await import('./processes.ts')
      await serveByProcesses(asked)
    })
}

const DEMO_DATA = './demo-data'

/** The validated options of a server. */
export type Asked = { options: ServeOptions; location: DeploymentLocation }

function askedOf(self: Command): Asked {
  const options = self.opts<ServeOptions>()
  const location = deploymentLocationOf(self)
  if (options.processes > 1 && 'folder' in location) {
    throw new UsageError(
      'a data folder is served by one process; --processes needs --database and --redis',
    )
  }
  if (options.demo !== true) return { options, location }
  if (!('folder' in location)) {
    throw new UsageError(
      `--demo fills a data folder and no database; name one, as in 'fleetgate serve --demo --data ${DEMO_DATA}'`,
    )
  }
  if (!options.role.includes('api') || !options.role.includes('feed')) {
    throw new UsageError('--demo needs the roles api and feed, which are there without --role')
  }
  const isDefault = self.getOptionValueSource('data') === 'default'
  return { options, location: isDefault ? { folder: DEMO_DATA } : location }
}

/** The number of processors of a large machine. A mistyped number must not overload the machine. */
const MOST_PROCESSES = 256

function readProcesses(written: string): number {
  const count = Number(written)
  if (!/^\d{1,3}$/.test(written) || count < 1 || count > MOST_PROCESSES) {
    throw new InvalidArgumentError(`it must be a whole number from 1 to ${MOST_PROCESSES}`)
  }
  return count
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

function readConnections(written: string): number {
  if (!/^\d{1,7}$/.test(written)) {
    throw new InvalidArgumentError('it must be a whole number of 0 or more')
  }
  return Number(written)
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
