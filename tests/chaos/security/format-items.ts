import type { Finding } from '../part.ts'
import { ITEMS, type Item } from './items.ts'
import { LEFT_OUT } from './left-out.ts'

/** Formats the items with their rules, tests and results, the omitted requirements, and the other findings. */
export function formatItems(findings: readonly Finding[]): string {
  const byId = new Map(findings.map((finding) => [finding.what.split(' ')[0]!, finding]))
  const items = ITEMS.map((item) => row(item, byId.get(item.id)))
  const others = findings.filter(({ what }) => !ITEMS.some(({ id }) => what.startsWith(`${id} `)))
  return [
    table(['item', 'rule', 'test', 'result'], items),
    table(
      ['packages', 'result'],
      others.map((finding) => [finding.what, result(finding)]),
    ),
    table(
      ['requirements of ASVS 5.0.0 without a test here', 'why'],
      LEFT_OUT.map(({ ids, why }) => [ids.join(', '), why]),
    ),
  ].join('\n\n')
}

function row({ id, name, rule, test }: Item, finding: Finding | undefined): string[] {
  const file = test.file.slice(test.file.lastIndexOf('/') + 1)
  const link = `[${file}](../${test.file}): ${test.name}`
  return [`\`${id}\` ${name}`, rule, link, finding === undefined ? 'not run' : result(finding)]
}

function result({ measured, met }: Finding): string {
  return met ? measured : `**${measured}**`
}

function table(headings: string[], rows: string[][]): string {
  const line = (cells: string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(headings), `|${'---|'.repeat(headings.length)}`, ...rows.map(line)].join('\n')
}
