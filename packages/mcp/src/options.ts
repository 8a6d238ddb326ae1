import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { ORGANIZATION_DEFAULTS } from '../../server/src/base/domain/organization.ts'
import { GAP_RULE } from '../../server/src/base/domain/setting-rule.ts'
import { MINUTE_MS } from '../../server/src/base/domain/time/time.ts'
import type { HttpOptions } from './http.ts'

export class UsageError extends Error {
  override name = 'UsageError'
}

export type Options = {
  url: string
  /** Null: each HTTP request brings its own key. */
  key: string | null
  /** Null: stdio. */
  http: HttpOptions | null
  /** How long a vehicle may be silent, in milliseconds. */
  maximumGapMs: number
}

const MAX_PORT = 65_535

/** `'help'` if that was asked for. The command line wins over the environment. Rejects with a `UsageError`. */
export async function readOptions(
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<Options | 'help'> {
  const given = parse(args)
  if (given.help === true) return 'help'
  const url = given.url ?? env.FLEETGATE_URL
  if (!url) throw new UsageError('--url (or FLEETGATE_URL) is required')
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new UsageError('--url must be a URL such as https://fleet.example.com')
  }
  const key = await keyOf(given['api-key-file'], env)
  const http = httpOf(given.http ?? env.FLEETGATE_HTTP, given.host ?? [])
  if (key === null && http === null) {
    throw new UsageError(
      'an API key is required: set FLEETGATE_API_KEY, or --api-key-file (or FLEETGATE_API_KEY_FILE)',
    )
  }
  const maximumGapMs = gapOf(given['maximum-gap'] ?? env.FLEETGATE_MAXIMUM_GAP)
  return { url, key, http, maximumGapMs }
}

function parse(args: string[]) {
  const text = { type: 'string' } as const
  const options = {
    ...{ url: text, 'api-key-file': text, http: text, 'maximum-gap': text },
    host: { type: 'string', multiple: true },
    help: { type: 'boolean' },
  } as const
  try {
    return parseArgs({ args, options, strict: true }).values
  } catch (error) {
    const [sentence] = (error as Error).message.split('. ')
    throw new UsageError(`${sentence}; see --help`)
  }
}

async function keyOf(file: string | undefined, env: NodeJS.ProcessEnv): Promise<string | null> {
  if (file === undefined && env.FLEETGATE_API_KEY) return env.FLEETGATE_API_KEY
  const from = file ?? env.FLEETGATE_API_KEY_FILE
  if (!from) return null
  try {
    return (await readFile(from, 'utf8')).trim()
  } catch (error) {
    throw new Error(`the key cannot be read: ${(error as Error).message}`)
  }
}

function httpOf(port: string | undefined, hosts: readonly string[]): HttpOptions | null {
  if (port === undefined) {
    if (hosts.length > 0) throw new UsageError('--host requires --http: stdio has no address')
    return null
  }
  const number = Number(port)
  if (!/^\d+$/.test(port) || number > MAX_PORT) {
    throw new UsageError(`--http must be a port from 0 to ${MAX_PORT}`)
  }
  return { port: number, hosts }
}

/** Milliseconds. The rule is that of the setting `maximum_gap` of the server. */
function gapOf(given: string | undefined): number {
  const minutes = given === undefined ? ORGANIZATION_DEFAULTS.maximumGap : Number(given)
  if (given === '' || !GAP_RULE.holds(minutes)) {
    throw new UsageError(`--maximum-gap must be ${GAP_RULE.says}`)
  }
  return minutes * MINUTE_MS
}

/** The help text, with the program's name: `fleetgate mcp`, or `fleetgate-mcp`. */
export function helpText(program: string): string {
  return `Usage: ${program} [options]

Gives a language model read-only tools over a Fleetgate API, by the Model Context Protocol: on stdin and
stdout, or as streamable HTTP on this machine.

Options:
  --url <url>            where the API is: https://fleet.example.com (env: FLEETGATE_URL)
  --api-key-file <file>  a file that holds the API key (env: FLEETGATE_API_KEY_FILE, or the key itself
                         in FLEETGATE_API_KEY); with --http and without a key, each request brings its own
                         as 'Authorization: Bearer <key>'
  --http <port>          serve http://127.0.0.1:<port>/mcp in place of stdio (env: FLEETGATE_HTTP)
  --host <name>          another name under which a proxy or browser reaches --http; can be repeated
  --maximum-gap <minutes>
                         how long a vehicle may be silent before answers say 'no signal since'; give the
                         maximum_gap of the organization if it is not ${ORGANIZATION_DEFAULTS.maximumGap} (env: FLEETGATE_MAXIMUM_GAP)
  --help                 show this

Examples:
  FLEETGATE_API_KEY_FILE=/etc/fleet.key ${program} --url https://fleet.example.com
  ${program} --url https://fleet.example.com --http 7400
`
}
