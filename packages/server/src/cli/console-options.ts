import { InvalidArgumentError, type Option } from 'commander'
import { option } from './command.ts'

/** Settings of the console that the server cannot find out by itself. */
export function consoleOptions(): Option[] {
  return [
    option(
      '--api-url <url>',
      'where integrators reach the API, for links to next pages and the lines that the console gives; it may have a path',
    ).argParser(readBase),
    option('--feed-url <url>', 'where trackers reach the feed').argParser(readOrigin),
    consoleUrlOption(),
    option(
      '--map-tiles <template>',
      'raster tiles for the map, as in https://tiles.example.com/{z}/{x}/{y}.png (default: the map that ships with the console)',
    ).argParser(readTemplate),
    option('--map-attribution <text>', 'what the map has to say of where its tiles come from'),
  ]
}

export function consoleUrlOption(): Option {
  return option(
    '--console-url <url>',
    'where the operator reaches the console, as behind a proxy that ends TLS',
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

function readTemplate(written: string): string {
  const isUrl = URL.canParse(written) && /^https?:$/.test(new URL(written).protocol)
  if (!isUrl || !['{z}', '{x}', '{y}'].every((part) => written.includes(part))) {
    throw new InvalidArgumentError('it must be a URL that holds {z}, {x} and {y}')
  }
  return written
}
