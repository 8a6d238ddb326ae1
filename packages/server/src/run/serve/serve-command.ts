import { fileURLToPath } from 'node:url'
import { type Command, InvalidArgumentError, type Option } from 'commander'
import manifest from '../../../package.json' with { type: 'json' }
import { addressReader } from '../../base/http/client-address.ts'
import type { Tiles } from '../../faces/admin/admin-api.ts'
import { reachableUnless } from '../../work/webhooks/resolve-addresses.ts'
import { command, option } from '../command.ts'
import { UsageError } from '../failure.ts'
import { deploymentLocationOf, sharedDeploymentOptions } from '../location.ts'
import { consoleOptions } from './listener-addresses.ts'
import {
  geocoderOptions,
  roleOption,
  type ServeOptions,
  type ServeRequest,
} from './serve-options.ts'
import { signOnOptions } from './sign-on-options.ts'

export function serveCommand(description: string): Command {
  return serveOptions(description).action(async (_options: ServeOptions, self: Command) => {
    const request = requestOf(self)
    await checkTiles(request.options.mapTiles)
    // Loaded on demand: no other command needs a server's parts.
    if (request.options.processes === 1) {
      const { serveUntilStopped } = await import('./start-serving.ts')
      return serveUntilStopped(request)
    }
    const { serveByProcesses } = await import('./processes.ts')
    await serveByProcesses(request)
  })
}

/** Reads the options of `fleetgate serve`. Throws as the command does. */
export function readServe(args: string[]): ServeRequest {
  return requestOf(serveOptions('').parse(args, { from: 'user' }))
}

function serveOptions(description: string): Command {
  const made = command('serve', description, [
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
      option(
        '--strict-limits',
        'answer 503 while Redis is down, instead of limiting within each process',
      ),
    )
    .addOption(roleOption())
    .addOption(
      option(
        '--processes <count>',
        'processes that share the ports; more than 1 requires --database',
      )
        .default(1)
        .argParser(readProcesses),
    )
  for (const each of [...listenerOptions(), ...limitOptions()]) made.addOption(each)
  for (const each of [...consoleOptions(), ...signOnOptions()]) made.addOption(each)
  for (const each of geocoderOptions(manifest.version)) made.addOption(each)
  return made.addOption(option('--demo', `serve a simulated fleet, by default from ${DEMO_DATA}`))
}

/** Where the server listens, and to whom. */
function listenerOptions(): Option[] {
  return [
    option('--host <address>', 'address to listen on').default('127.0.0.1'),
    option('--port <port>', 'port of the public API; 0 takes a free one')
      .default(7070)
      .argParser(readPort),
    option('--feed-port <port>', 'port on which trackers send positions; 0 takes a free one')
      .default(7071)
      .argParser(readPort),
    option('--admin-host <address>', 'address of the console, metrics and readiness').default(
      '127.0.0.1',
    ),
    option('--admin-port <port>', 'port of the console, metrics and readiness; 0 takes a free one')
      .default(7072)
      .argParser(readPort),
    option('--tls-cert <file>', 'PEM certificate chain: HTTPS (HTTP/1.1)'),
    option('--tls-key <file>', 'PEM private key of the certificate'),
    option(
      '--trust-proxy <list>',
      'proxies whose X-Forwarded-For is trusted: addresses, CIDR ranges, loopback, linklocal, uniquelocal',
    )
      .default([], 'none')
      .argParser(readProxies),
    option(
      '--max-connections-per-address <count>',
      'maximum open connections of one address on each listener; 0 means no limit; loopback and trusted proxies have none',
    )
      .default(256)
      .argParser(readConnections),
  ]
}

/** How much one request gets, how much the server keeps, and where its webhooks may go. */
function limitOptions(): Option[] {
  return [
    option('--max-history-rows <rows>', 'maximum rows of one history request').argParser(
      readMaximum,
    ),
    option('--max-history-days <days>', 'maximum days of one history request').argParser(
      readMaximum,
    ),
    option('--max-streams <count>', 'maximum open streams of changes of the process')
      .default(2_000)
      .argParser(readMaximum),
    option('--changes-days <days>', 'days for which changes are kept')
      .default(30)
      .argParser(readMaximum),
    option(
      '--webhook-networks <list>',
      'networks to which webhooks may be delivered, in addition to the public internet, such as 10.1.0.0/16',
    )
      .default([], 'none')
      .argParser(readNetworks),
  ]
}

const DEMO_DATA = './demo-data'

function requestOf(self: Command): ServeRequest {
  const options = self.opts<ServeOptions>()
  const location = deploymentLocationOf(self)
  if (options.processes > 1 && 'folder' in location) {
    throw new UsageError(
      '--processes requires --database and --redis; a data folder is served by one process',
    )
  }
  if (options.demo !== true) return { options, location }
  if (!('folder' in location)) {
    throw new UsageError(
      `--demo requires a data folder instead of a database, as in 'fleetgate serve --demo --data ${DEMO_DATA}'`,
    )
  }
  if (!options.role.includes('api') || !options.role.includes('feed')) {
    throw new UsageError('--demo requires the roles api and feed: omit --role')
  }
  const isDefault = self.getOptionValueSource('data') === 'default'
  return {
    options: { ...options, mapTiles: options.mapTiles ?? { file: DEMO_STREETS } },
    location: isDefault ? { folder: DEMO_DATA } : location,
  }
}

/** The streets on which the demo's vehicles drive (tools/demo-map). */
const DEMO_STREETS = fileURLToPath(new URL('../../../assets/demo-streets.pmtiles', import.meta.url))

/** As many as a large machine has processors, so that a typo does not overload the machine. */
const MAX_PROCESSES = 256

function readProcesses(written: string): number {
  const count = Number(written)
  if (!/^\d{1,3}$/.test(written) || count < 1 || count > MAX_PROCESSES) {
    throw new InvalidArgumentError(`it must be a whole number from 1 to ${MAX_PROCESSES}`)
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

function readNetworks(written: string): string[] {
  const networks = written.split(',').map((entry) => entry.trim())
  try {
    reachableUnless(networks)
  } catch {
    throw new InvalidArgumentError(
      'it must be CIDR ranges such as 10.1.0.0/16, separated by commas',
    )
  }
  return networks
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

/** Throws if the file of `--map-tiles` cannot be used, and says why. */
async function checkTiles(tiles: Tiles | undefined): Promise<void> {
  if (tiles === undefined || 'url' in tiles) return
  const { describeTiles } = await import('../../faces/admin/map-tiles.ts')
  try {
    await describeTiles(tiles.file)
  } catch (error) {
    throw new Error(`'${tiles.file}' of --map-tiles cannot be used: ${(error as Error).message}`)
  }
}
