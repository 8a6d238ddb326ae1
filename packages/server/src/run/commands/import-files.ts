import { basename } from 'node:path'
import type { FileCall, IMPORT_ACTS } from '../../acts/import-acts.ts'
import type { previewDocument } from '../../acts/import-bodies.ts'
import type { ImportFormat, ImportKind } from '../../base/domain/import-formats.ts'
import type { ItemTopic } from '../../base/domain/item-rules.ts'
import { systemClock } from '../../base/domain/time/time.ts'
import type { Store } from '../../engine/store/store.ts'
import { openSource } from '../../work/import/import-source.ts'
import { ImportMisuse, SourceUnreadable } from '../../work/import/row.ts'
import {
  emptySummary,
  type ImportSummary,
  type LineTally,
  type ShownLine,
  shortfallOf,
  totalOf,
} from '../../work/import/summary.ts'
import type { LengthUnit } from '../../work/import/tables/cells.ts'
import { NOTATION_PARTS } from '../../work/import/tables/notation.ts'
import { callOn, runAct } from '../act-command.ts'
import type { CommandResult } from '../command.ts'
import { harmless, UsageError } from '../failure.ts'
import { givenQuery, type OwnerOptions } from '../options.ts'
import { untilSignal } from '../serve/stop-signal.ts'
import { boundYoungGeneration } from '../serve/young-generation.ts'
import { countText, openProgressLine, type ProgressLine, table } from '../terminal.ts'

/*
 * An import of files: its preview, its progress and its summary.
 */

/** Rows live until their batch is written, so a larger space for new objects saves hardly any time. */
const YOUNG_BYTES = 32 * 1024 * 1024

type Acts = (typeof IMPORT_ACTS)[ImportKind]

export type ImportOptions = OwnerOptions & {
  format?: ImportFormat
  distanceUnit?: LengthUnit
  attribute?: string
  preview?: boolean
  quiet?: boolean
}

/** Shows how an import would read the files. */
export async function previewAll(
  store: Store,
  { run, preview }: Acts,
  options: ImportOptions,
  files: string[],
  columns: readonly string[],
): Promise<CommandResult> {
  const previews = await untilSignal((signal) =>
    Array.fromAsync(files, async (file) =>
      runAct(preview, await callOnFile(store, run, options, file, signal)),
    ),
  ).catch((error) => {
    throw error instanceof ImportMisuse ? new UsageError(error.message) : error
  })
  return previewAnswer(previews, columns)
}

/** Imports the files one after the other, until one fails or a signal asks to stop. */
export async function importAll(
  store: Store,
  { run }: Acts,
  options: ImportOptions,
  files: string[],
  things: ItemTopic,
): Promise<CommandResult> {
  const progress = progressOf(process.stderr, options.quiet === true)
  const summaries: ImportSummary[] = []
  await untilSignal(async (signal) => {
    for (const file of files) {
      const summary = await summaryOf(file, summaries.length === 0, async () => {
        const call = await callOnFile(store, run, options, file, signal)
        const { source } = call
        const onProgress = (rows: number) => {
          boundYoungGeneration(YOUNG_BYTES)
          progress.show(file, rows, source.bytesRead(), source.size)
        }
        return runAct(run, { ...call, onProgress })
      })
      summaries.push(summary)
      if (summary.stopped !== null) return
    }
  }).finally(progress.end)
  return answerOf(summaries, things)
}

async function callOnFile(
  store: Store,
  { query }: Acts['run'],
  options: ImportOptions,
  file: string,
  signal: AbortSignal,
): Promise<FileCall> {
  return {
    ...callOn(store, { organization: options.org }),
    query: givenQuery(query.rules, options),
    source: await openSource(file, signal),
    formatIn: (formats) => formats.find((each) => each === options.format),
    distanceUnit: options.distanceUnit ?? null,
    ...{ clock: systemClock, signal, onProgress: () => {} },
  }
}

/**
 * The result of a file. An unreadable or unsuitable file ends the command at once if nothing was imported
 * yet. Later, it must not hide what was imported.
 */
async function summaryOf(
  file: string,
  isFirst: boolean,
  importOne: () => Promise<ImportSummary>,
): Promise<ImportSummary> {
  try {
    return await importOne()
  } catch (error) {
    const isMisuse = error instanceof ImportMisuse
    if (isFirst && isMisuse) throw new UsageError(error.message)
    if (isFirst || !(isMisuse || error instanceof SourceUnreadable)) throw error
    return { ...emptySummary(file), stopped: error.message, complete: false }
  }
}

const SHOWN_ROWS = 10

/**
 * How each file would be read, in both forms, with these fields of its first rows. Fails if a file would be refused.
 */
function previewAnswer(
  previews: readonly ReturnType<typeof previewDocument>[],
  columns: readonly string[],
): CommandResult {
  const documents = previews.map(({ fields: _, ...document }) => document)
  const headings = ['line', ...columns, 'rejected'].map((each) =>
    each.replaceAll('_', ' ').toUpperCase(),
  )
  const texts = documents.flatMap(({ file, columns: found, table: notation, notes, rows }) => [
    basename(file),
    ...columnsText({ file, columns: found }, false),
    ...notationText(notation),
    ...notes.map((note) => `Note: ${harmless(note)}`),
    table(
      headings,
      rows
        .slice(0, SHOWN_ROWS)
        .map(({ line, values, rejected }) => [
          line,
          ...columns.map((column) => cellOf(values?.[column])),
          rejected,
        ]),
    ),
  ])
  const answer = { json: { files: documents }, text: texts.join('\n\n') }
  const problem = documents.find((each) => each.problem !== null)?.problem
  return typeof problem === 'string' ? { ...answer, failure: problem } : answer
}

function cellOf(value: unknown): string | number | null {
  return typeof value === 'number' ? value : value === undefined ? null : String(value)
}

/** How a CSV file is written, as options. */
function notationText(found: ReturnType<typeof previewDocument>['table']): string[] {
  if (found === null) return []
  const parts = NOTATION_PARTS.flatMap((part) => {
    const { value, from } = found[part]
    return value === null ? [] : [`${part} ${value} (${from})`]
  })
  return [`Read with: ${parts.join(', ')}`]
}

/** Shows the progress of an import. */
type ImportProgress = {
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
    ...Object.entries(total.withheld).map(
      ([reason, count]) => `Not stored, ${reason}: ${count.toLocaleString('en')}`,
    ),
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
  if (total.truncated) remarks.push('A file is cut off: its complete rows were imported')
  return remarks
}
