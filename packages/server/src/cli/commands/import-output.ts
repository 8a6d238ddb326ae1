import { basename } from 'node:path'
import {
  type ImportSummary,
  type LineTally,
  type ShownLine,
  shortfallOf,
  totalOf,
} from '../../import/summary.ts'
import type { CommandResult } from '../command.ts'
import { harmless } from '../failure.ts'
import { table } from '../table.ts'
import { countText, openProgressLine, type ProgressLine } from '../terminal.ts'

/** Shows the progress of an import. */
export type ImportProgress = {
  /** Rows and bytes read of `name` so far. `size` in bytes, if known. */
  show(name: string, rows: number, bytes: number, size: number | null): void
  /** Clears the line for later output. */
  end(): void
}

const SILENT: ImportProgress = { show: () => {}, end: () => {} }

/** Shows the progress on `stream`. `now` returns milliseconds. */
export function progressOf(
  stream: NodeJS.WriteStream,
  isQuiet: boolean,
  now: () => number = () => performance.now(),
): ImportProgress {
  if (isQuiet) return SILENT
  let current = ''
  let began = 0
  let line: ProgressLine | undefined
  return {
    show(name, rows, bytes, size) {
      if (line === undefined || name !== current) {
        current = name
        began = now()
        line = openProgressLine(stream, now)
      }
      line.show(() => {
        const percent = size === null || size === 0 ? '' : `, ${Math.floor((bytes * 100) / size)}%`
        return `${name}: ${countText(rows, 'rows', now() - began)}${percent}`
      })
    },
    end() {
      line?.end()
    },
  }
}

/**
 * The outcomes of the rows of each source and in all, in both forms. `things` names the new and changed
 * items.
 */
export function answerOf(summaries: readonly ImportSummary[], things: string): CommandResult {
  const total = totalOf(summaries)
  const { file: _, columns: __, ...counts } = total
  const json = { ...counts, files: summaries }
  const text = [
    countsTable(summaries, total),
    ...tallies(total),
    ...summaries.flatMap((summary) => columnsText(summary, summaries.length > 1)),
    ...remarksOf(total, things),
  ].join('\n\n')
  const failure = shortfallOf(total)
  return failure === null ? { json, text } : { json, text, failure }
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
    ...Object.entries(total.omitted).map(([thing, each]) => tallyText(`Left out, ${thing}`, each)),
  ].filter((text) => text !== '')
}

function tallyText(title: string, tally: LineTally): string {
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

type Columns = Pick<ImportSummary, 'file' | 'columns'>

/** How the columns were read; with the name of the file if it is one of several. */
export function columnsText({ file, columns }: Columns, isNamed: boolean): string[] {
  const pairs = (by: Record<string, string>) =>
    Object.entries(by).map(([field, column]) => (field === column ? field : `${field}=${column}`))
  const lines = [
    ['used', pairs(columns.used)],
    ['guessed', pairs(columns.guessed)],
    ['ignored', columns.ignored],
  ] as const
  const of = isNamed ? ` of ${basename(file)}` : ''
  const shown = lines.filter(([, names]) => names.length > 0)
  const text = shown.map(([title, names]) =>
    harmless(`Columns${of}, ${title}: ${names.join(', ')}`),
  )
  return text.length === 0 ? [] : [text.join('\n')]
}

function remarksOf(total: ImportSummary, things: string): string[] {
  const remarks = total.notes.map((note) => `Note: ${harmless(note)}`)
  if (total.created > 0) remarks.push(`New ${things}: ${total.created.toLocaleString('en')}`)
  if (total.updated > 0) remarks.push(`Changed ${things}: ${total.updated.toLocaleString('en')}`)
  if (total.truncated) remarks.push('A file is cut off: its complete rows are in')
  return remarks
}
