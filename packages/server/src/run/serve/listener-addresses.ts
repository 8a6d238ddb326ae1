import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { InvalidArgumentError, type Option } from 'commander'
import { isLoopback } from '../../base/domain/common/fetching.ts'
import type { Store } from '../../engine/store/store.ts'
import type { Tiles } from '../../faces/admin/admin-api.ts'
import { option } from '../command.ts'

/*
 * The addresses of the listeners and of the console: as configured, as they are, and as others reach them.
 */

/** Settings of the console that the server cannot find out on its own. */
export function consoleOptions(): Option[] {
  return [
    option(
      '--api-url <url>',
      'public URL of the API, used in links to next pages and in examples of the console; may have a path',
    ).argParser(readBase),
    option(
      '--contact <address>',
      'the contact for integrators in the description of the API: an e-mail address or a URL',
    ).argParser(readContact),
    option('--feed-url <url>', 'public URL of the feed').argParser(readOrigin),
    consoleUrlOption(),
    option(
      '--map-tiles <file or template>',
      "the map's tiles: a PMTiles file, with vector tiles of the Protomaps basemap or with images, or images as in https://tiles.example.com/{z}/{x}/{y}.png (default: the map that ships with the console)",
    ).argParser(readTiles),
    option(
      '--map-attribution <text>',
      'the attribution that the map shows for its tiles (default: from the PMTiles file)',
    ),
  ]
}

export function consoleUrlOption(): Option {
  return option(
    '--console-url <url>',
    'public URL of the console, for example behind a proxy that terminates TLS',
  ).argParser(readOrigin)
}

/** Without a slash at its end. */
function readBase(written: string): string {
  const url = URL.canParse(written) ? new URL(written) : null
  const isPlain = url !== null && url.search + url.hash + url.username + url.password === ''
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('it must be a URL such as https://example.com/fleet')
  }
  return url.href.replace(/\/+$/, '')
}

function readContact(written: string): string {
  const isPage = URL.canParse(written) && /^https?:$/.test(new URL(written).protocol)
  if (!isPage && !/^[^\s@:/]+@[^\s@:/]+$/.test(written)) {
    throw new InvalidArgumentError('it must be an e-mail address or a URL')
  }
  return written
}

function readOrigin(written: string): string {
  const url = URL.canParse(written) ? new URL(written) : null
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.pathname !== '/' ||
    url.search !== ''
  ) {
    throw new InvalidArgumentError('it must be an origin such as https://fleet.example.com')
  }
  return url.origin
}

/** Text with a scheme is meant as a URL. */
function readTiles(written: string): Tiles {
  if (!written.includes('://')) return { file: written }
  const isUrl = URL.canParse(written) && /^https?:$/.test(new URL(written).protocol)
  if (!isUrl || !['{z}', '{x}', '{y}'].every((part) => written.includes(part))) {
    throw new InvalidArgumentError(
      'it must be a PMTiles file, or a URL that holds {z}, {x} and {y}',
    )
  }
  return { url: written }
}

/** The address of a listener, such as `http://127.0.0.1:7070`. */
export function originOf({ address, port, family }: AddressInfo, isTls: boolean): string {
  const host = family === 'IPv6' ? `[${address}]` : address
  return `${isTls ? 'https' : 'http'}://${host}:${port}`
}

/** The address at which other machines reach a listener on all addresses: the machine's first one. */
export function fromOutside(address: AddressInfo): AddressInfo {
  if (!['0.0.0.0', '::'].includes(address.address)) return address
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const outer = own.find(({ internal, family }) => !internal && family === 'IPv4')
  return outer === undefined
    ? reachable(address)
    : { ...address, address: outer.address, family: 'IPv4' }
}

/** The address at which the machine itself reaches a listener on all addresses. */
export function reachable(address: AddressInfo): AddressInfo {
  const loopback = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address.address]
  return { ...address, address: loopback ?? address.address }
}

/** A warning if keys would cross a network unencrypted. */
export function plainHttpWarnings(api: AddressInfo | null, isTls: boolean): string[] {
  if (api === null || isTls || isLoopback(api.address)) return []
  return [
    `plain HTTP on ${api.address} sends API keys unencrypted; use --tls-cert and --tls-key, or terminate TLS in a proxy`,
  ]
}

/** The origin of the console: as it is given, as the server that last started said, or the default one. */
export async function consoleAt({ access }: Store, given?: string): Promise<string> {
  return given ?? (await access.addresses()).consoleUrl ?? 'http://127.0.0.1:7072'
}

/** The origin of the feed, found in the same way. */
export async function feedAt({ access }: Store): Promise<string> {
  return (await access.addresses()).feedUrl ?? 'http://127.0.0.1:7071'
}

/** Whether other machines cannot reach an origin. */
export function isOfThisMachine(origin: string): boolean {
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || isLoopback(host)
}
