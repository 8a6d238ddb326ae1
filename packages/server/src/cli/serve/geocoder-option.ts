import { InvalidArgumentError, type Option } from 'commander'
import type { GeocoderSource } from '../../compose.ts'
import { option } from '../command.ts'
import { UsageError } from '../failure.ts'

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
      'addresses of positions that bring none: offline (the nearest place), off, or the URL of a Nominatim server',
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
