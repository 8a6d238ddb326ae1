import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Figure, formatNumber, rangeOf, type Verdict, verdictOf } from '../figures.ts'
import { SCRIPTS } from '../scripts.ts'
import { TARGETS, type Target } from '../targets.ts'
import { type BenchRecord, readRecord } from './records.ts'

const BENCH = join(import.meta.dirname, '..')
const PAGE = join(BENCH, '../docs/benchmarks.md')

const EMPHASIZED: Record<Verdict, string> = {
  met: 'met',
  unproven: '**not proven**',
  missed: '**missed**',
}

const INTRODUCTION = `# Benchmarks

Each target of Fleetgate, with its measurement. \`npm run bench\` wrote this page; do not edit it.
\`npm run bench -- --show detail\` prints the method and every figure of the last run of \`detail\`, which
[its record](../bench/records/detail.json) has too, and [remarks](../bench/notes) explain some of them.
\`npm run bench -- --list\` prints all measurements. [bench/README.md](../bench/README.md) says how we measure.
`

const READING = `## How to read it

A figure is the median of its rounds, followed by the lowest and the highest round. **met**: the median and all rounds
keep the target. **Not proven**: the median keeps it and a round does not. **Missed**: the median does not keep it.
“By processor time” compares the work done for each second that a server's processor was busy. Ratios carry over to
other machines. Absolute figures do not: run \`npm run bench\` on yours.
`

/** Writes docs/benchmarks.md from the last records. */
export function writeBenchmarksPage(): void {
  const records = new Map(
    SCRIPTS.filter(({ byHand }) => !byHand).flatMap(({ name }) => {
      const record = readRecord(name)
      return record === undefined ? [] : [[name, record] as const]
    }),
  )
  const parts = [
    INTRODUCTION,
    formatTargets(records),
    READING,
    formatSurroundings([...records.values()]),
  ]
  writeFileSync(PAGE, parts.filter((part) => part !== '').join('\n'))
}

/** Describes the machine of the last run; a record of another machine or day names its own. */
function formatSurroundings(records: BenchRecord[]): string {
  const last = records.toSorted((a, b) => a.at.localeCompare(b.at)).at(-1)
  if (last === undefined) return ''
  const versions = Object.entries(last.versions).map((entry) => entry.join(' '))
  return `The machine: ${last.machine}. ${versions.join(', ')}.\n`
}

function formatTargets(records: Map<string, BenchRecord>): string {
  const rows = TARGETS.map((target) => {
    const record = records.get(target.script)
    const figures = record?.figures.filter(({ name }) => target.figures.test(name)) ?? []
    const name = record
      ? `[${target.script}](../bench/records/${target.script}.json)`
      : target.script
    const found = [target.what, target.demanded].map(cell)
    return `| ${[...found, measured(figures), verdictOnTarget(target, figures, record), name].join(' | ')} |`
  })
  return `## Targets

Per core, embedded, with all rules applied.

| what | target | measured | | record |
|---|---|---|---|---|
${rows.join('\n')}
`
}

/** One figure as it is; two figures side by side; if there are more, the one with the least margin. */
function measured(figures: Figure[]): string {
  if (figures.length === 0) return 'not measured yet'
  if (figures.length === 1) return formatMeasured(figures[0]!)
  const shown = figures.length === 2 ? figures : figures.toSorted(byMargin).slice(0, 1)
  const named = shown.map((figure) => `${cell(figure.name)}: ${formatMeasured(figure)}`).join('; ')
  const met = figures.filter((figure) => verdictOf(figure) === 'met').length
  return figures.length === 2 ? named : `${met} of ${figures.length} met; ${named}`
}

function formatMeasured(figure: Figure): string {
  const range = figure.spread === undefined ? '' : ` (${rangeOf(figure)})`
  return `${formatNumber(figure.value)} ${figure.unit}`.trim() + range
}

function byMargin(a: Figure, b: Figure): number {
  const margin = ({ value, atLeast, atMost }: Figure) =>
    Math.min(value / (atLeast ?? value), (atMost ?? value) / value)
  return margin(a) - margin(b)
}

function verdictOnTarget(
  target: Target,
  figures: Figure[],
  record: BenchRecord | undefined,
): string {
  if (figures.length === 0) return ''
  if (record?.small) return 'rough: the small form'
  const verdicts = figures.map(verdictOf)
  if (verdicts.includes('missed')) return `${EMPHASIZED.missed}${why(target.script)}`
  return verdicts.includes('unproven') ? EMPHASIZED.unproven : 'met'
}

/** A link to the remarks on the measurement, if there are any. */
function why(script: string): string {
  const note = `notes/${script}.md`
  return existsSync(join(BENCH, note)) ? `: [why](../bench/${note})` : ''
}

function cell(text: string): string {
  return text.trim().replaceAll('|', '\\|').replaceAll('\n', ' ')
}
