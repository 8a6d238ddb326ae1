import { type Command, InvalidArgumentError } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { addressReader } from '../api/client-address.ts'
import { command, option, type SharedOptions } from './command.ts'
import { type GeocoderOptions, geocoderOptions } from './geocoder-option.ts'

export type ServeOptions = SharedOptions &
  GeocoderOptions & {
    host: string
    port: number
    adminPort: number
    feedPort: number
    tlsCert?: string
    tlsKey?: string
    trustProxy: string[]
    maxHistoryRows?: number
    maxHistoryDays?: number
    demo?: boolean
  }

export const DEMO_DATA = './demo-data'

export function serveCommand(): Command {
  const made = command('serve', 'serve the API of a data folder', [
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
      option('--feed-port <port>', 'port on which trackers send positions; 0 takes a free one')
        .default(7071)
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
  for (const each of geocoderOptions(manifest.version)) made.addOption(each)
  return made
    .addOption(option('--demo', `serve a simulated fleet, by default from ${DEMO_DATA}`))
    .action(async (options: ServeOptions, self: Command) => {
      // Loaded when it is wanted: no other command needs a server's parts.
      const { serveUntilStopped } = await import('./serving.ts')
      await serveUntilStopped(options, self.getOptionValueSource('data') === 'default')
    })
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
