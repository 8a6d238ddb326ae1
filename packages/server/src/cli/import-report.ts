import { basename } from 'node:path'
import { type ImportSummary, type ShownLine, type Tally, totalOf } from '../import/summary.ts'
import type { Answer } from './command.ts'
import { harmless } from './harmless.ts'
import { table } from './table.ts'

/**
 * The outcomes of the rows of each source and in all, in both forms. `things` names the new and changed
 * items.
 */
export function answerOf(summaries: readonly ImportSummary[], things: string): Answer {
  const total = totalOf(summaries)
  const { file: _, ...counts } = total
  const json = { ...counts, files: summaries }
  const text = [countsTable(summaries, total), ...tallies(total), ...remarksOf(total, things)].join(
    '\n\n',
  )
  return total.stopped === null ? { json, text } : { json, text, failure: total.stopped }
}

function countsTable(summaries: readonly ImportSummary[], total: ImportSummary): string {
  const rowOf = (name: string, summary: ImportSummary) => [
    name,
    summary.read,
    summary.accepted,
    summary.duplicate,
    summary.conflict,
    summary.rejected,
  ]
  const rows = summaries.map((summary) => rowOf(basename(summary.file), summary))
  if (summaries.length > 1) rows.push(rowOf('total', total))
  return table(['FILE', 'READ', 'ACCEPTED', 'DUPLICATE', 'CONFLICT', 'REJECTED'], rows)
}

function tallies(total: ImportSummary): string[] {
  const rejected = Object.entries(total.reasons).sort(([, a], [, b]) => b.count - a.count)
  return [
    ...rejected.map(([reason, each]) => tallyText(`Rejected, ${reason}`, each)),
    tallyText('Duplicate', total.duplicates),
    tallyText('Conflict', total.conflicts),
  ].filter((text) => text !== '')
}

function tallyText(title: string, tally: Tally): string {
  if (tally.count === 0) return ''
  const shown = tally.first.map(lineText)
  const more = tally.count - shown.length
  return [
    `${title}: ${tally.count.toLocaleString('en')}`,
    ...shown,
    ...(more > 0 ? [`  and ${more.toLocaleString('en')} more`] : []),
  ].join('\n')
}

function lineText({ file, line, text, detail }: ShownLine): string {
  return `  ${harmless(`${basename(file)}:${line}: ${detail}`)}\n      ${harmless(text)}`
}

function remarksOf(total: ImportSummary, things: string): string[] {
  const remarks = total.notes.map((note) => `Note: ${harmless(note)}`)
  if (total.created > 0) remarks.push(`New ${things}: ${total.created.toLocaleString('en')}`)
  if (total.updated > 0) remarks.push(`Changed ${things}: ${total.updated.toLocaleString('en')}`)
  if (total.truncated) remarks.push('A file ends before its content does: what was whole is in')
  return remarks
}
