import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding, Part } from './part.ts'
import { PARTS } from './parts.ts'
import { readRecord, type TrialRecord } from './records.ts'
import { NOT_MET } from './security/left-out.ts'

const PAGE = join(import.meta.dirname, '../../docs/security.md')

const INTRODUCTION = `# Security and robustness

This page says what we do to break Fleetgate, and what we found. \`npm run chaos\` wrote it; do not edit it.
The command \`npm run chaos -- --show disk\` prints the method of the part \`disk\`, each of its requirements with the last
measurement, and the seed that repeats the run. [Its record](../tests/chaos/records/disk.json) has the same, next to the
programs in [tests/chaos](../tests/chaos). How to report a weakness: [SECURITY.md](../SECURITY.md).
`

const ITEMS = `## The lists of OWASP

The part \`security\` has each item of the OWASP API Security Top 10 (2023), and each requirement of the OWASP Application
Security Verification Standard 5.0.0 that is relevant: [the items](../tests/chaos/security/items.ts) have the rule by
which Fleetgate keeps each, and the test that attacks it. [The others](../tests/chaos/security/left-out.ts) have the reason
why they are left out. The two lists together have all 345 requirements, levels 1 to 3, and a test checks that. Nobody
has certified anything.
`

type Run = { part: Part; record: TrialRecord | undefined }

/** Writes docs/security.md from the parts and their last records. */
export async function writeSecurityPage(): Promise<void> {
  const parts = await Promise.all(Object.values(PARTS).map((load) => load()))
  const runs = parts.map((part) => ({ part, record: readRecord(part.name) }))
  const sections = [INTRODUCTION, formatSummary(runs), formatMissed(runs), ITEMS, formatNotMet()]
  writeFileSync(PAGE, sections.filter((section) => section !== '').join('\n'))
}

function formatSummary(runs: Run[]): string {
  const rows = runs.map(({ part: { name, title, summary }, record }) => {
    const found =
      record === undefined ? 'not run | ' : `${verdictOn(record)} | ${record.at.slice(0, 10)}`
    return `| [\`${name}\`](../tests/chaos/${name}) ${title} | ${summary} | ${found} |`
  })
  return table('part | what happens | requirements | last run', rows)
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

function formatMissed(runs: Run[]): string {
  const rows = runs.flatMap(({ part, record }) =>
    (record?.findings ?? [])
      .filter(({ met }) => !met)
      .map(
        ({ what, bar, measured }) =>
          `| ${[part.name, what, bar, measured].map(cell).join(' | ')} |`,
      ),
  )
  if (rows.length === 0) return ''
  return `## Missed in the last runs\n\n${table('part | what | demanded | found', rows)}`
}

function formatNotMet(): string {
  const rows = NOT_MET.map(({ ids, why }) => `| ${ids.join(', ')} | ${cell(why)} |`)
  const headings = 'requirements of ASVS 5.0.0 | why'
  return `## Requirements that are not met\n\n${table(headings, rows)}`
}

function table(headings: string, rows: string[]): string {
  const rule = '---|'.repeat(headings.split('|').length)
  return `| ${headings} |\n|${rule}\n${rows.join('\n')}\n`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
