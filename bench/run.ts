/**
 * `npm run bench`: runs the benchmarks one after the other, keeps their records and writes docs/benchmarks.md.
 * Exits with code 1 if a target is missed or not proven, or a benchmark failed.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { areMet, formatFigures } from './figures.ts'
import { writeBenchmarksPage } from './page/page.ts'
import { type BenchRecord, keepRecord, type Printed, readRecord } from './page/records.ts'
import {
  describeMachine,
  type ProcessorTicks,
  processorTicks,
  versions,
} from './page/surroundings.ts'
import { SCRIPTS, type Script } from './scripts.ts'

const MEASURED = SCRIPTS.filter(({ isSettled, byHand }) => !isSettled && !byHand)
const NAMES = MEASURED.map(({ name }) => name)
const HELP = `npm run bench -- [options]

  --only NAMES     these measurements alone, with commas
  --small          less of everything, to see that it runs; the figures are rough
  --dry            leave the records and docs/benchmarks.md as they are
  --json           one JSON object for each measurement, instead of tables
  --page           write docs/benchmarks.md from the records, measure nothing
  --show NAMES     the methods and the last figures of these measurements
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
    page: { type: 'boolean', default: false },
    show: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (options.help) process.stdout.write(HELP)
else if (options.list) listScripts()
else if (options.page) writeBenchmarksPage()
else if (options.show !== undefined) show(options.show.split(','))
else await runAll(options.only?.split(',') ?? NAMES)

function listScripts(): void {
  for (const script of SCRIPTS) {
    process.stdout.write(`${script.name.padEnd(22)}${script.title}${howToRun(script)}\n`)
  }
}

function howToRun({ isSettled, byHand }: Script): string {
  if (isSettled) return ' (settled: only --show)'
  return byHand === undefined ? '' : ` (by hand: ${byHand})`
}

function show(names: string[]): void {
  if (!areKnown(names, SCRIPTS)) return
  for (const { name, title, about } of SCRIPTS.filter((each) => names.includes(each.name))) {
    const record = readRecord(name)
    const found =
      record === undefined
        ? 'It has not been measured yet.\n'
        : `${formatFigures(record.figures)}\n${formatRun(record)}\n`
    process.stdout.write(`${title}\n\n${about}\n\n${found}\n`)
  }
}

function formatRun({ at, seconds, small, stolen, machine, versions }: BenchRecord): string {
  const used = Object.entries(versions).map((entry) => entry.join(' '))
  const percent = (100 * (stolen ?? 0)).toLocaleString('en', { maximumFractionDigits: 1 })
  return [
    `${at.slice(0, 10)}${seconds === undefined ? '' : `, ${seconds} s`}. ${machine}.`,
    used.length === 0 ? '' : ` ${used.join(', ')}.`,
    stolen === undefined ? '' : ` The host gave ${percent} % of the processors’ time to others.`,
    small ? ' The small form: these figures are rough.' : '',
  ].join('')
}

function areKnown(names: string[], scripts: readonly Script[]): boolean {
  const unknown = names.filter((each) => !scripts.some(({ name }) => name === each))
  if (unknown.length === 0) return true
  process.stderr.write(`there is no measurement ${unknown.join(', ')}\n\n${HELP}`)
  process.exitCode = 2
  return false
}

async function runAll(names: string[]): Promise<void> {
  if (!areKnown(names, MEASURED)) return
  installDuckdb()
  for (const name of names) {
    if (!(await measure(name))) process.exitCode = 1
  }
  if (!options.dry) writeBenchmarksPage()
}

/** Only `pull` needs DuckDB. `npm ci` refuses the lock, which lacks optional packages for other systems. */
function installDuckdb(): void {
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
  const printed = await runScript(name)
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

/** The output of the script; undefined if it failed. */
async function runScript(name: string): Promise<Printed | undefined> {
  const args = ['--json', ...(options.small ? ['--small'] : [])]
  const script = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = await Promise.all([text(script.stdout), once(script, 'close')])
  if (printed !== '') return JSON.parse(printed)
  process.stderr.write(`${name} did not come to its end\n`)
  return undefined
}
