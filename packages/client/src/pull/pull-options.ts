import { parseArgs } from 'node:util'
import { type CsvForm, FORMATS, type FormatName } from './formats.ts'
import { DAY_MS, momentOf, spanOf } from './moments.ts'

/** Wrong use. The message says how to use the command. Exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

export type PullOptions = {
  url: string
  /** One of the two. */
  key: { value: string } | { file: string }
  out: string
  format: FormatName
  csvForm: CsvForm
  /** Undefined: all objects of the organization. */
  objects: number[] | undefined
  /** Milliseconds. `to` undefined: now. */
  from: number
  to: number | undefined
  lateMs: number
  pageSize: number | undefined
  spanMs: number | undefined
  json: boolean
}

type OptionText = { value?: string; text: string }

const OPTIONS: Record<string, OptionText> = {
  url: { value: '<url>', text: 'where the API is: https://fleet.example.com' },
  'api-key-file': { value: '<file>', text: 'a file that holds the API key' },
  'api-key': {
    value: '<key>',
    text: 'the key itself; others on the machine can read a command line, so rather the variable or the file',
  },
  out: { value: '<folder>', text: 'where the files are; made where it is not there' },
  format: { value: '<format>', text: 'ndjson, csv or geojson (default: ndjson)' },
  raw: {
    text: 'in CSV, do not put an apostrophe before texts that a spreadsheet runs as formulas',
  },
  excel: {
    text: 'in CSV, write a byte order mark, and idents so that Excel does not show them as rounded numbers',
  },
  objects: { value: '<ids>', text: 'ids, separated by commas (default: all objects)' },
  from: {
    value: '<time>',
    text: 'where the files begin: a date or an ISO 8601 time, in UTC (default: all there is)',
  },
  to: { value: '<time>', text: 'where this run ends (default: now)' },
  late: {
    value: '<time span>',
    text: 'how long after it was taken a position may arrive, and still gets into its file: 12h, 7d (default: 3d)',
  },
  'page-size': { value: '<rows>', text: 'rows of one request, where the server sets a maximum' },
  span: { value: '<time span>', text: 'time of one request, where the server sets a maximum: 31d' },
  json: { text: 'print one JSON object, and nothing else, on stdout' },
  help: { text: 'show this' },
}

/** `--api-key` is `FLEETGATE_API_KEY`. */
function variableOf(name: string): string {
  return `FLEETGATE_${name.replaceAll('-', '_').toUpperCase()}`
}

/** `'help'` if that was asked for. Throws a `UsageError`. */
export function readPullOptions(args: string[], env: NodeJS.ProcessEnv): PullOptions | 'help' {
  const given = parse(args)
  if (given.help === true) return 'help'
  // An empty variable is not set; an empty option is.
  const text = (name: string): string | undefined => {
    const value = given[name] ?? (env[variableOf(name)] || undefined)
    return value === undefined ? undefined : String(value)
  }
  const read = <Value>(
    name: string,
    reader: (written: string) => Value | undefined,
    what: string,
  ): Value | undefined => {
    const written = text(name)
    if (written === undefined) return undefined
    const value = reader(written)
    if (value === undefined)
      throw new UsageError(`--${name} is '${shown(written)}' but must be ${what}`)
    return value
  }
  const needed = (
    name: string,
    reader: (written: string) => string | undefined,
    what: string,
  ): string => {
    const value = read(name, reader, what)
    if (value === undefined) throw new UsageError(`--${name} is missing (or ${variableOf(name)})`)
    return value
  }
  const time = 'a date or an ISO 8601 time: 2026-11-20, 2026-11-20T10:00:00Z'
  const span = 'a time span: 12h, 7d'
  const from = read('from', (written) => momentOf(written), time) ?? 0
  const to = read('to', (written) => momentOf(written, true), time)
  if (to !== undefined && to < from) throw new UsageError('--to is before --from')
  const isOn = (name: string) => given[name] === true || read(name, switchOf, '1 or 0') === true
  const format = read('format', formatNameOf, Object.keys(FORMATS).join(', ')) ?? 'ndjson'
  return {
    url: needed('url', urlOf, 'an address: https://fleet.example.com'),
    key: keyOf(given, env),
    out: needed('out', (written) => written || undefined, 'a folder'),
    format,
    csvForm: csvFormOf(format, isOn('raw'), isOn('excel')),
    objects: read('objects', idsOf, 'ids separated by commas: 3,5'),
    from,
    to,
    lateMs: read('late', spanOf, span) ?? 3 * DAY_MS,
    pageSize: read('page-size', countOf, 'a whole number, 1 or more'),
    spanMs: read('span', (written) => spanOf(written) || undefined, span),
    json: isOn('json'),
  }
}

/** An address, also a mistyped one, without its password and parameters. */
function shown(written: string): string {
  return written.replace(/^((?:https?|ftp):)?(\/\/)?(?:.*@)?([^?#]*).*$/is, '$1$2$3')
}

function parse(args: string[]): Record<string, string | boolean | undefined> {
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

/** The command line wins over the environment. */
function keyOf(
  given: Record<string, string | boolean | undefined>,
  env: NodeJS.ProcessEnv,
): PullOptions['key'] {
  const { 'api-key': value, 'api-key-file': file } = given
  if (value !== undefined && file !== undefined) {
    throw new UsageError('--api-key and --api-key-file are given, but one of them is enough')
  }
  if (value) return { value: String(value) }
  if (file) return { file: String(file) }
  const { FLEETGATE_API_KEY: inherited, FLEETGATE_API_KEY_FILE: inheritedFile } = env
  if (inherited) return { value: inherited }
  if (inheritedFile) return { file: inheritedFile }
  throw new UsageError(
    'the key is missing: FLEETGATE_API_KEY, or --api-key-file (or FLEETGATE_API_KEY_FILE)',
  )
}

function urlOf(written: string): string | undefined {
  return /^https?:\/\//i.test(written) && URL.canParse(written) ? written : undefined
}

function formatNameOf(written: string): FormatName | undefined {
  return Object.keys(FORMATS).find((name) => name === written) as FormatName | undefined
}

function csvFormOf(format: FormatName, raw: boolean, excel: boolean): CsvForm {
  if (raw && excel) {
    throw new UsageError(
      '--raw and --excel are given, but texts are either as they are or for Excel',
    )
  }
  const form = raw ? 'raw' : excel ? 'excel' : 'guarded'
  if (form !== 'guarded' && format !== 'csv') {
    throw new UsageError(`--${form} is for --format csv: the other formats hold texts as they are`)
  }
  return form
}

function idsOf(written: string): number[] | undefined {
  const ids = written.split(',').map((id) => id.trim())
  if (!ids.every((id) => /^\d{1,15}$/.test(id))) return undefined
  return [...new Set(ids.map(Number))]
}

function countOf(written: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(written) ? Number(written) : undefined
}

function switchOf(written: string): boolean | undefined {
  if (['1', 'true', 'yes', 'on'].includes(written.toLowerCase())) return true
  return ['0', 'false', 'no', 'off'].includes(written.toLowerCase()) ? false : undefined
}

const COLUMN = 25

/** The help text, with the program's name: `fleetgate pull`, or `fleetgate-pull`. */
export function pullHelp(program: string): string {
  const options = Object.entries(OPTIONS).map(([name, { value, text }]) => {
    const flag = `  --${name}${value === undefined ? '' : ` ${value}`}`
    const variable = name === 'help' ? '' : ` (env: ${variableOf(name)})`
    return `${flag.padEnd(COLUMN)}${wrapped(text + variable)}`
  })
  return `Usage: ${program} [options]

Brings the positions of an organization's objects into files, one for each object, and with each run
adds what has come since. Whenever it is stopped, or killed, the same command goes on from there.

Options:
${options.join('\n')}

Exit codes: 0 all is there; 1 something is missing, said on stderr; 2 wrong use.

Examples:
  ${program} --url https://fleet.example.com --api-key-file key.txt --out ./fleet
  ${program} --url https://fleet.example.com --out ./fleet --format csv --objects 3,5 --from 2026-01-01
  15 2 * * * FLEETGATE_API_KEY_FILE=/etc/fleet.key ${program} --url https://fleet.example.com --out /srv/fleet
`
}

function wrapped(text: string): string {
  const lines = ['']
  for (const word of text.split(/ (?!FLEETGATE_)/)) {
    const line = lines.at(-1)!
    if (COLUMN + line.length + 1 + word.length <= 100) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(` ${word}`)
  }
  return lines.map((line) => line.slice(1)).join(`\n${' '.repeat(COLUMN)}`)
}
