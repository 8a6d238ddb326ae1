import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding, Part } from './part.ts'
import { PARTS } from './parts.ts'
import { readRecord, type TrialRecord } from './records.ts'
import { NOT_MET } from './security/left-out.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const FULL_PAGE = 'security-in-full.md'

const SUMMARY = `# Security and toughness

This page says what we do to break Fleetgate, and what we found. \`npm run chaos\` wrote it; do not edit it.
[The full record](${FULL_PAGE}) has the method, each requirement, each measurement and the seed that repeats the run.
How to report a weakness: [SECURITY.md](../SECURITY.md).
`

const INTRODUCTION = `# Security and toughness, in full

\`npm run chaos\` writes this page from the last run of each of its parts; do not edit it. \`npm run
chaos -- --help\` says how to run one part, repeat a run by its seed, or take the full amounts.
[Security and toughness](security.md) sums it up. How to report a weakness: [SECURITY.md](../SECURITY.md).
`

/** Writes docs/security.md and docs/security-in-full.md from the parts and their last records. */
export async function writeSecurityPages(): Promise<void> {
  const parts = await Promise.all(Object.values(PARTS).map((load) => load()))
  const runs = parts.map((part) => ({ part, record: readRecord(part.name) }))
  const sections = runs.map(({ part, record }) => formatSection(part, record))
  writeFileSync(join(DOCS, FULL_PAGE), [INTRODUCTION, ...sections].join('\n'))
  writeFileSync(
    join(DOCS, 'security.md'),
    [SUMMARY, formatSummary(runs), formatNotMet()].join('\n'),
  )
}

function formatSummary(runs: { part: Part; record: TrialRecord | undefined }[]): string {
  const rows = runs.map(({ part, record }) => {
    const link = `[${part.title}](${FULL_PAGE}#${anchorOf(part.title)})`
    const found =
      record === undefined ? 'not run | ' : `${verdictOn(record)} | ${record.at.slice(0, 10)}`
    return `| ${link} | ${part.summary} | ${found} |`
  })
  return `| part | what happens | requirements | last run |
|---|---|---|---|
${rows.join('\n')}
`
}

/** The numbers of requirements that were met, missed and left out. */
function verdictOn({ findings }: TrialRecord): string {
  const isLeftOut = ({ measured }: Finding) => measured.startsWith('left out')
  const leftOut = findings.filter(isLeftOut).length
  const missed = findings.filter(({ met }) => !met).length
  const met = findings.filter(
    (finding) => finding.bar !== '' && finding.met && !isLeftOut(finding),
  ).length
  return [
    `${met} met`,
    missed > 0 ? `**${missed} missed**` : '',
    leftOut > 0 ? `${leftOut} left out` : '',
  ]
    .filter((text) => text !== '')
    .join(', ')
}

function formatNotMet(): string {
  const rows = NOT_MET.map(({ ids, why }) => `| ${ids.join(', ')} | ${cell(why)} |`)
  return `## Requirements that are not met

| requirements of ASVS 5.0.0 | why |
|---|---|
${rows.join('\n')}
`
}

function formatSection(part: Part, record: TrialRecord | undefined): string {
  const { title, about, format = formatFindings } = part
  const found =
    record === undefined
      ? 'It has not been run.'
      : `${format(record.findings)}\n\n${formatRun(record)}`
  return `## ${title}\n\n${about.trim()}\n\n${found}\n`
}

function formatFindings(findings: readonly Finding[]): string {
  const rows = findings.map(
    ({ what, bar, measured, met }) =>
      `| ${cell(what)} | ${cell(bar)} | ${met ? cell(measured) : `**${cell(measured)}: missed**`} |`,
  )
  return `| what | demanded | found |
|---|---|---|
${rows.join('\n')}`
}

function formatRun({ at, seed, hours, times, seconds, name }: TrialRecord): string {
  const size = `${hours ? ' --hours' : ''}${times === 1 ? '' : ` --times ${times}`}`
  return `\`npm run chaos -- --only ${name} --seed ${seed}${size}\`, ${at.slice(0, 10)}, ${seconds} s.`
}

/** The anchor of a heading, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
