import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { barOf, type Figure, formatNumber, rangeOf, type Verdict, verdictOf } from '../figures.ts'
import { type Chart, SCRIPTS, type Script } from '../scripts.ts'
import { TARGETS, type Target } from '../targets.ts'
import { barChart } from './bar-chart.ts'
import { type BenchRecord, readRecord } from './records.ts'

const DOCS = join(import.meta.dirname, '../../docs')
/** The folder of the SVGs of the full record. */
export const CHARTS = join(DOCS, 'benchmarks')
const NOTES = join(import.meta.dirname, '../notes')

const EMPHASIZED: Record<Verdict, string> = {
  met: 'met',
  unproven: '**not proven**',
  missed: '**missed**',
}

const FULL_PAGE = 'benchmarks-in-full.md'

const SUMMARY = `# Benchmarks

Each target of Fleetgate, with its measurement. \`npm run bench\` wrote this page; do not edit it.
[The full record](${FULL_PAGE}) has every figure, its method, its command and the notes on it.
`

const INTRODUCTION = `# Benchmarks, in full

\`npm run bench\` writes this page from the last run of each of its scripts and from the notes in
[bench/notes](../bench/notes); do not edit it. [Benchmarks](benchmarks.md) has the targets alone.
`

const METHOD = `## How it is measured

The measured server is \`fleetgate serve\` as it is shipped: keys checked, limits kept, every request logged. Server and load
have a processor each. Compared servers are asked in turn, in one run, on the same processor, by the same client. A figure is
the median of its rounds, followed by the lowest and the highest round. A target is met if the median and all rounds keep it.
It is not proven if the median keeps it and a round does not: a busy machine can spread the rounds so far that they decide
nothing. “By processor time” compares the work done for each second that a server's processor was busy. Neither a client that
cannot keep up nor other work on the machine flatters it. No limit is raised: the load comes from as many organizations as it
takes, and an unexpected answer fails the run. Ratios carry over to other machines; absolute figures do not.
[bench/README.md](../bench/README.md) has every detail.
`

const READING = `## How to read it

A figure is the median of its rounds, followed by the lowest and the highest round. **met**: the median and all rounds
keep the target. **Not proven**: the median keeps it and a round does not. **Missed**: the median does not keep it.
Ratios carry over to other machines. Absolute figures do not: run \`npm run bench\` on yours.
`

/** Follows the account of a comparison that is not repeated. */
const SETTLED = ' This comparison is settled, and not repeated.'

/** Writes docs/benchmarks.md, docs/benchmarks-in-full.md and its charts from the last records. */
export function writeBenchmarksPages(): void {
  mkdirSync(CHARTS, { recursive: true })
  const records = new Map(
    SCRIPTS.flatMap(({ name }) => {
      const record = readRecord(name)
      return record === undefined ? [] : [[name, record] as const]
    }),
  )
  const surroundings = formatSurroundings([...records.values()])
  writePage('benchmarks.md', [SUMMARY, formatTargets(records), READING, surroundings])
  writePage(FULL_PAGE, [
    INTRODUCTION,
    surroundings,
    METHOD,
    ...SCRIPTS.map((script) => formatSection(script, records.get(script.name))),
    ...['what-made-the-difference', 'what-varies', 'measured-elsewhere'].flatMap(note),
  ])
}

function writePage(name: string, parts: string[]): void {
  writeFileSync(join(DOCS, name), parts.filter((part) => part !== '').join('\n'))
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
    const found = [target.what, target.demanded].map(cell)
    return `| ${[...found, measured(figures), verdictOnTarget(target, figures, record)].join(' | ')} |`
  })
  return `## Targets

Per core, embedded, with all rules applied.

| what | target | measured | |
|---|---|---|---|
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
  const { title } = SCRIPTS.find(({ name }) => name === target.script)!
  if (verdicts.includes('missed'))
    return `${EMPHASIZED.missed}: [why](${FULL_PAGE}#${anchorOf(title)})`
  return verdicts.includes('unproven') ? EMPHASIZED.unproven : 'met'
}

function formatSection(script: Script, record: BenchRecord | undefined): string {
  const found =
    record === undefined
      ? 'It has not been measured yet.'
      : [
          formatFigures(record, script),
          ...(script.charts ?? []).flatMap((chart) => draw(chart, record)),
        ]
          .join('\n\n')
          .trim()
  return [
    `## ${script.title}\n\n${script.about}${script.isSettled ? SETTLED : ''}\n\n${found}\n`,
    ...note(script.name),
  ].join('\n')
}

function formatFigures(
  { name, at, seconds, small, stolen, figures }: BenchRecord,
  { isSettled }: Script,
): string {
  const rows = figures.map((figure) => {
    const bar = barOf(figure)
    const verdict = verdictOf(figure)
    const judged = verdict === undefined ? '' : `${bar}: ${EMPHASIZED[verdict]}`
    const value = `${formatNumber(figure.value)} ${figure.unit}`.trim()
    return `| ${cell(figure.name)} | ${value} | ${rangeOf(figure)} | ${judged} |`
  })
  const rough = small ? ' The small form: these figures are rough.' : ''
  const command = isSettled
    ? 'Measured'
    : `\`npm run bench -- --only ${name}${small ? ' --small' : ''}\``
  return `| | measured | rounds | bar |
|---|---|---|---|
${rows.join('\n')}

${command}, ${at.slice(0, 10)}, ${seconds} s.${theft(stolen)}${rough}`
}

/** Writes the chart and returns its image link; empty if fewer than two of its figures exist. */
function draw({ file, title, bars }: Chart, { figures }: BenchRecord): string[] {
  const there = bars.flatMap(({ figure: name, label, of }) => {
    const figure = figures.find((each) => each.name === name)
    return figure === undefined ? [] : [{ label, value: figure.value, spread: figure.spread, of }]
  })
  if (there.length < 2) return []
  writeFileSync(join(CHARTS, `${file}.svg`), barChart(title, there))
  return [`![${title}](benchmarks/${file}.svg)`]
}

function note(name: string): string[] {
  const file = join(NOTES, `${name}.md`)
  return existsSync(file) ? [readFileSync(file, 'utf8')] : []
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')
}

function cell(text: string): string {
  return text.trim().replaceAll('|', '\\|').replaceAll('\n', ' ')
}

function theft(stolen: number | undefined): string {
  if (stolen === undefined) return ''
  const percent = (100 * stolen).toLocaleString('en', { maximumFractionDigits: 1 })
  return ` The host gave ${percent} % of the processors’ time to other machines meanwhile.`
}
