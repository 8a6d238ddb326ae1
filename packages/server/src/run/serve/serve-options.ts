import { InvalidArgumentError, type Option } from 'commander'
import type { Tiles } from '../../faces/admin/admin-api.ts'
import { option, type SharedOptions } from '../command.ts'
import type { DeploymentLocation, GeocoderSource } from '../compose.ts'
import { UsageError } from '../failure.ts'
import type { DeploymentLocationOptions } from '../location.ts'
import type { Role } from '../serve-settings.ts'
import type { SignOnOptions } from './sign-on-options.ts'

/** The parsed options of `fleetgate serve`. */
export type ServeOptions = SharedOptions &
  DeploymentLocationOptions &
  GeocoderOptions &
  SignOnOptions & {
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
    changesDays: number
    maxStreams: number
    webhookNetworks: string[]
    apiUrl?: string
    contact?: string
    feedUrl?: string
    consoleUrl?: string
    mapTiles?: Tiles
    mapAttribution?: string
    demo?: boolean
  }

/** The validated options of a server. */
export type ServeRequest = { options: ServeOptions; location: DeploymentLocation }

/** The parsed options of `geocoderOptions`. */
export type GeocoderOptions = {
  geocoder: GeocoderSource
  geocoderRate: number
  geocoderUserAgent: string
}

export function geocoderOptions(version: string): Option[] {
  return [
    option(
      '--geocoder <source>',
      'source of addresses for positions without one: offline (the nearest place), off, or the URL of a Nominatim server',
    )
      .default('offline')
      .argParser(readGeocoder),
    option('--geocoder-rate <rate>', 'requests per second to that server')
      .default(1)
      .argParser(readRate),
    option('--geocoder-user-agent <text>', 'the User-Agent of requests to that server')
      .default(`Fleetgate/${version}`)
      .argParser(readUserAgent),
  ]
}

function readGeocoder(written: string): GeocoderSource {
  if (written === 'offline' || written === 'off') return written
  const url = URL.parse(written)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hash !== '' || hasUser(url)) {
    // Do not use commander's own error, which repeats the value with its password and key.
    throw new UsageError(
      '--geocoder must be offline, off, or a URL such as https://nominatim.example.org, without user and password',
    )
  }
  return url
}

/** `fetch` rejects such a URL with an error that shows it. */
function hasUser({ username, password }: URL): boolean {
  return username !== '' || password !== ''
}

function readRate(written: string): number {
  const rate = Number(written)
  if (!/^\d{1,4}(\.\d{1,3})?$/.test(written) || rate < 0.001 || rate > 1000) {
    throw new InvalidArgumentError('it must be a number from 0.001 to 1000')
  }
  return rate
}

function readUserAgent(written: string): string {
  if (!/^[!-~](?:[ -~]{0,198}[!-~])?$/.test(written)) {
    throw new InvalidArgumentError('it must be 1 to 200 characters of ASCII')
  }
  return written
}

const ROLES: readonly Role[] = ['api', 'feed', 'admin']

export function roleOption(): Option {
  return option(
    '--role <roles>',
    'roles of this process: api, feed (with the background work), admin; separated by commas, or repeated',
  )
    .default(ROLES, 'all')
    .argParser(readRoles)
}

function readRoles(written: string, before: readonly Role[]): readonly Role[] {
  const named = written.split(',').map((each) => each.trim())
  if (!named.every(isRole))
    throw new InvalidArgumentError(`it must be one or more of ${ROLES.join(', ')}`)
  // For the first value, commander passes the default as the previous value.
  return before === ROLES ? named : [...before, ...named]
}

function isRole(name: string): name is Role {
  return (ROLES as readonly string[]).includes(name)
}
