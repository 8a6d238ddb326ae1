/**
 * `npm run chaos`: stresses Fleetgate in every known way, judges each, keeps the findings in records/, and writes their
 * sum to docs/security.md. Exits with code 1 if a requirement is missed, and prints the seed that repeats it.
 */
import { randomInt } from 'node:crypto'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { formatFindings } from './findings.ts'
import type { Finding } from './part.ts'
import { PARTS } from './parts.ts'
import { keepRecord, readRecord, type TrialRecord } from './records.ts'
import { writeSecurityPage } from './security-page.ts'

const HELP = `npm run chaos -- [options]

  --only NAMES   these parts alone, with commas: ${Object.keys(PARTS).join(', ')}
  --seed N       repeat a run
  --hours        the full amounts, some hours, instead of some minutes
  --times N      N times as much
  --dry          leave the records and docs/security.md as they are
  --page         write docs/security.md from the last runs, run nothing
  --show NAMES   the methods and the last findings of these parts
  --json         one JSON object for each part, instead of tables
  --help
`

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string' },
    hours: { type: 'boolean', default: false },
    times: { type: 'string', default: '1' },
    dry: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    show: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (options.help) process.stdout.write(HELP)
else if (options.page) await writeSecurityPage()
else if (options.show !== undefined) await show(options.show.split(','))
else await run(options.only?.split(',') ?? Object.keys(PARTS))

async function show(names: string[]): Promise<void> {
  if (!areKnown(names)) return
  for (const name of names) {
    const { title, about } = await PARTS[name]!()
    const record = readRecord(name)
    const found = record === undefined ? 'It has not been run.\n' : formatRecord(record)
    process.stdout.write(`${title}\n\n${about.trim()}\n\n${found}`)
  }
}

/** The findings, and the command that repeats their run. */
function formatRecord(record: TrialRecord): string {
  const { name, at, seed, hours, times } = record
  const size = `${hours ? ' --hours' : ''}${times === 1 ? '' : ` --times ${times}`}`
  const command = `npm run chaos -- --only ${name} --seed ${seed}${size}`
  return `${formatFindings(record)}${command}, ${at.slice(0, 10)}\n\n`
}

function areKnown(names: string[]): boolean {
  const unknown = names.filter((name) => PARTS[name] === undefined)
  if (unknown.length === 0) return true
  process.stderr.write(`there is no part ${unknown.join(', ')}\n\n${HELP}`)
  process.exitCode = 2
  return false
}

async function run(names: string[]): Promise<void> {
  if (!areKnown(names)) return
  const seed = options.seed === undefined ? randomInt(2 ** 31) : Number(options.seed)
  for (const name of names) {
    const record = await runPart(name, seed)
    if (record.findings.some(({ met }) => !met)) process.exitCode = 1
    process.stdout.write(options.json ? `${JSON.stringify(record)}\n` : formatFindings(record))
    if (!options.dry) keepRecord(record)
  }
  if (!options.dry) await writeSecurityPage()
}

async function runPart(name: string, seed: number): Promise<TrialRecord> {
  const part = await PARTS[name]!()
  const times = Number(options.times)
  using folder = mkdtempDisposableSync(join(tmpdir(), `fleetgate-chaos-${name}-`))
  const progress = (text: string) => process.stderr.write(`${name}: ${text}\n`)
  progress(`seed ${seed}`)
  const start = performance.now()
  const findings = await part
    .run({
      seed,
      folder: folder.path,
      amount: ({ minutes, hours }) => Math.ceil(times * (options.hours ? hours : minutes)),
      progress,
    })
    .catch((error: unknown): Finding[] => [
      { what: 'the part itself', bar: 'runs to its end', measured: `${error}`, met: false },
    ])
  return {
    name,
    at: new Date().toISOString(),
    seed,
    hours: options.hours,
    times,
    seconds: Math.round((performance.now() - start) / 1000),
    findings,
  }
}
