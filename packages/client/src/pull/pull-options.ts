import { parseArgs } from 'node:util'
import type { AskedAttributes } from '../history.ts'
import { FORMATS, type FormatName, type TableForm } from './files/table-writer.ts'
import { isTimeZone } from './files/zone-offset.ts'
import { type KeyOption, keyOf } from './key-option.ts'
import { OPTIONS, variableOf } from './option-texts.ts'
import { UsageError } from './usage-error.ts'

/** Files in a folder. */
export type FolderOptions = TableForm & { out: string }

export type PullOptions = {
  url: string
  key: KeyOption
  to: FolderOptions | { database: string }
  /** Whether trips, stops, visits and changes of levels are copied too. */
  records: boolean
  /** Undefined: none. */
  attributes: AskedAttributes | undefined
  /** Undefined: all objects of the organization. */
  objects: number[] | undefined
  follow: boolean
  /** Whether the copy is compared with the server, and repaired. */
  verify: boolean
  json: boolean
}

/** Ids of one request. */
const MAX_OBJECTS = 1_000

type Given = Record<string, string | boolean | undefined>

/** The options by their names, from the command line or else from the environment. */
type Reader = {
  read<Value>(
    name: string,
    reader: (written: string) => Value | undefined,
    what: string,
  ): Value | undefined
  isOn(name: string): boolean
}

/** `'help'` if that was asked for. Throws a `UsageError`. */
export function readPullOptions(args: string[], env: NodeJS.ProcessEnv): PullOptions | 'help' {
  const verify = args[0] === 'verify'
  const given = parse(verify ? args.slice(1) : args)
  if (given.help === true) return 'help'
  const reader = readerOf(given, env)
  const url = reader.read('url', urlOf, 'a URL such as https://fleet.example.com')
  if (url === undefined) throw new UsageError(`--url (or ${variableOf('url')}) is required`)
  const isOnce = reader.isOn('once')
  const follow = reader.isOn('follow')
  if (isOnce && follow) throw new UsageError('use one of --once or --follow')
  if (verify && follow)
    throw new UsageError(
      'verify cannot be combined with --follow: it ends when everything is compared',
    )
  return {
    url,
    verify,
    key: keyOf(given, env),
    to: destinationOf(reader),
    objects: reader.read('objects', idsOf, `up to 1,000 ids, separated by commas, such as 3,5`),
    records: reader.isOn('records'),
    attributes: reader.read('attributes', attributesOf, 'names separated by commas, or all'),
    follow,
    json: reader.isOn('json'),
  }
}

function destinationOf(reader: Reader): PullOptions['to'] {
  const out = reader.read('out', (written) => written || undefined, 'a folder')
  const database = reader.read('to', databaseOf, 'postgres://user@host/database')
  if (out !== undefined && database !== undefined) {
    throw new UsageError('use one of --out or --to: a pull writes to a folder or to a database')
  }
  const format = formatOf(reader)
  const csvForm = reader.isOn('raw') ? 'raw' : 'guarded'
  const timeZone = reader.read('tz', zoneOf, 'a time zone such as Europe/Madrid')
  if (csvForm === 'raw' && format !== 'csv') {
    throw new UsageError('--raw requires --format csv: the other formats keep texts as they are')
  }
  if (timeZone !== undefined && format !== 'xlsx') {
    throw new UsageError('--tz requires --format xlsx: the other formats have times in UTC')
  }
  if (database !== undefined) {
    if (format !== undefined) throw new UsageError('--format requires --out: a database has tables')
    return { database }
  }
  if (out !== undefined) {
    return { out, format: format ?? 'ndjson', csvForm, ...(timeZone !== undefined && { timeZone }) }
  }
  throw new UsageError(`--out (or ${variableOf('out')}) is required, or --to for a database`)
}

function readerOf(given: Given, env: NodeJS.ProcessEnv): Reader {
  // An empty variable is not set; an empty option is.
  const text = (name: string): string | undefined => {
    const value = given[name] ?? (env[variableOf(name)] || undefined)
    return value === undefined ? undefined : String(value)
  }
  const read: Reader['read'] = (name, reader, what) => {
    const written = text(name)
    if (written === undefined) return undefined
    const value = reader(written)
    if (value !== undefined) return value
    throw new UsageError(`--${name} must be ${what}, not '${shown(written)}'`)
  }
  return {
    read,
    isOn: (name) => given[name] === true || read(name, switchOf, '1 or 0') === true,
  }
}

/** An address, also a mistyped one, without its password and parameters. */
function shown(written: string): string {
  return written.replace(
    /^((?:https?|ftp|mysql|postgres(?:ql)?):)?(\/\/)?(?:.*@)?([^?#]*).*$/is,
    '$1$2$3',
  )
}

function parse(args: string[]): Given {
  const options = Object.fromEntries(
    Object.entries(OPTIONS).map(([name, { value }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  try {
    return parseArgs({ args, options, strict: true }).values
  } catch (error) {
    const [sentence] = (error as Error).message.split('. ')
    throw new UsageError(`${sentence}; see --help`)
  }
}

function urlOf(written: string): string | undefined {
  return /^https?:\/\//i.test(written) && URL.canParse(written) ? written : undefined
}

function databaseOf(written: string): string | undefined {
  return /^postgres(?:ql)?:\/\//i.test(written) && URL.canParse(written) ? written : undefined
}

function formatNameOf(written: string): FormatName | undefined {
  return FORMATS.find((name) => name === written)
}

/** Undefined: the default. */
function formatOf(reader: Reader): FormatName | undefined {
  const format = reader.read('format', formatNameOf, `one of ${FORMATS.join(', ')}`)
  if (!reader.isOn('excel')) return format
  if (format === undefined || format === 'xlsx') return 'xlsx'
  throw new UsageError(`--excel cannot be combined with --format ${format}: it means --format xlsx`)
}

function zoneOf(written: string): string | undefined {
  return isTimeZone(written) ? written : undefined
}

function idsOf(written: string): number[] | undefined {
  const ids = written.split(',').map((id) => id.trim())
  if (!ids.every((id) => /^\d{1,15}$/.test(id))) return undefined
  const unique = [...new Set(ids.map(Number))]
  return unique.length <= MAX_OBJECTS ? unique : undefined
}

function attributesOf(written: string): AskedAttributes | undefined {
  if (written === 'all') return 'all'
  const names = written.split(',').map((name) => name.trim())
  return names.includes('') ? undefined : names
}

function switchOf(written: string): boolean | undefined {
  if (['1', 'true', 'yes', 'on'].includes(written.toLowerCase())) return true
  return ['0', 'false', 'no', 'off'].includes(written.toLowerCase()) ? false : undefined
}
