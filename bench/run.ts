/**
 * `npm run bench`: runs the benchmarks one after the other, keeps their records and writes docs/benchmarks.md.
 * Exits with code 1 if a target is missed or not proven, or a benchmark failed.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempDisposableSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { areMet, formatFigures } from './figures.ts'
import { flameGraph } from './page/flame-graph.ts'
import { CHARTS, writeBenchmarksPage } from './page/page.ts'
import { type BenchRecord, keepRecord, type Printed } from './page/records.ts'
import {
  describeMachine,
  type ProcessorTicks,
  processorTicks,
  versions,
} from './page/surroundings.ts'
import { SCRIPTS } from './scripts.ts'

const NAMES = SCRIPTS.map(({ name }) => name)
const HELP = `npm run bench -- [options]

  --only NAMES     these measurements alone, with commas
  --small          less of everything, to see that it runs; the figures are rough
  --dry            leave the records and docs/benchmarks.md as they are
  --json           one JSON object for each measurement, instead of tables
  --profile NAME   run one with a profile of the server, as docs/benchmarks/profile-NAME.svg
  --label LABEL    then as profile-NAME-LABEL.svg: before, after
  --page           write docs/benchmarks.md from the records, measure nothing
  --list           the measurements
  --help

Measurements, in this order: ${NAMES.join(', ')}
`

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    small: { type: 'boolean', default: false },
    dry: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    profile: { type: 'string' },
    label: { type: 'string' },
    page: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (options.help) process.stdout.write(HELP)
else if (options.list) for (const { name, title } of SCRIPTS) console.log(`${name}: ${title}`)
else if (options.page) writeBenchmarksPage()
else await runAll(options.profile?.split(',') ?? options.only?.split(',') ?? NAMES)

async function runAll(names: string[]): Promise<void> {
  const unknown = names.filter((name) => !NAMES.includes(name))
  if (unknown.length > 0) {
    process.stderr.write(`there is no measurement ${unknown.join(', ')}\n\n${HELP}`)
    process.exitCode = 2
    return
  }
  installPeers()
  for (const name of names) {
    const isMet = options.profile === undefined ? await measure(name) : await profile(name)
    if (!isMet) process.exitCode = 1
  }
  if (!options.dry) writeBenchmarksPage()
}

/**
 * The servers for comparison are a separate package, which only benchmarks need. `npm ci` refuses its lock, which
 * lacks optional packages for other systems.
 */
function installPeers(): void {
  if (existsSync(join(import.meta.dirname, 'node_modules'))) return
  process.stderr.write('npm install, in bench/\n')
  const args = ['install', '--no-save', '--ignore-scripts']
  execFileSync('npm', args, { cwd: import.meta.dirname, stdio: ['ignore', 2, 2] })
}

/** Runs a script and keeps its record; returns whether every target is met. */
async function measure(name: string): Promise<boolean> {
  process.stderr.write(`\n${name}\n`)
  const start = performance.now()
  const before = processorTicks()
  const printed = await runScript(name, [])
  if (printed === undefined) return false
  const record: BenchRecord = {
    name,
    at: new Date().toISOString(),
    small: options.small,
    seconds: Math.round((performance.now() - start) / 1000),
    ...printed,
    ...stolenSince(before),
    machine: describeMachine(),
    versions: versions(),
  }
  process.stdout.write(
    options.json
      ? `${JSON.stringify(record)}\n`
      : `${record.title}\n\n${formatFigures(record.figures)}\n`,
  )
  if (!options.dry && !keepRecord(record)) {
    process.stderr.write('rough figures: the record of the last full run stays\n')
  }
  return areMet(printed.figures)
}

function stolenSince(before: ProcessorTicks | undefined): { stolen?: number } {
  const now = processorTicks()
  if (before === undefined || now === undefined) return {}
  return { stolen: (now.stolen - before.stolen) / (now.all - before.all) }
}

/** Runs a script for the flame graph of its servers, without keeping its figures. */
async function profile(name: string): Promise<boolean> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
  if ((await runScript(name, ['--profile', folder.path])) === undefined) return false
  const files = globSync('*.cpuprofile', { cwd: folder.path })
  const profiles = files.map((file) => JSON.parse(readFileSync(join(folder.path, file), 'utf8')))
  const label = options.label === undefined ? '' : `-${options.label}`
  mkdirSync(CHARTS, { recursive: true })
  const graph = join(CHARTS, `profile-${name}${label}.svg`)
  writeFileSync(graph, flameGraph(`${name}${label.replace('-', ', ')}`, profiles))
  process.stdout.write(`${graph}\n`)
  return true
}

/** The output of the script; undefined if it failed. */
async function runScript(name: string, more: string[]): Promise<Printed | undefined> {
  const args = ['--json', ...(options.small ? ['--small'] : []), ...more]
  const script = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = await Promise.all([text(script.stdout), once(script, 'close')])
  if (printed !== '') return JSON.parse(printed)
  process.stderr.write(`${name} did not come to its end\n`)
  return undefined
}
