import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding, Part } from './part.ts'
import { PARTS } from './parts.ts'
import { readRecord, type TrialRecord } from './records.ts'

const PAGE = join(import.meta.dirname, '../docs/security.md')
const INTRODUCTION = `# Security and toughness

Written by \`npm run chaos\`, out of what its parts found when each was last run; do not edit. \`npm run
chaos -- --help\` tells how to run one part, repeat a run by its seed, or take the full amounts.
How to report a weakness: [SECURITY.md](../SECURITY.md).
`

/** Writes docs/security.md from the parts and their last records. */
export async function writeSecurityPage(): Promise<void> {
  const parts = await Promise.all(Object.values(PARTS).map((load) => load()))
  const sections = parts.map((part) => formatSection(part, readRecord(part.name)))
  writeFileSync(PAGE, [INTRODUCTION, ...sections].join('\n'))
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

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
