import { basename } from 'node:path'
import type { ItemTopic } from '../../domain/items.ts'
import type { Organization } from '../../domain/organization.ts'
import type { Preview } from '../../import/preview.ts'
import { ImportMisuse, SourceUnreadable } from '../../import/row.ts'
import { openSource, type Source } from '../../import/source.ts'
import { emptySummary, type ImportSummary } from '../../import/summary.ts'
import { NOTATION_PARTS, type NotationFound } from '../../import/tables/notation.ts'
import { previewDocument } from '../../operator/imports.ts'
import type { Store } from '../../store/store.ts'
import type { CommandResult } from '../command.ts'
import { harmless, UsageError } from '../failure.ts'
import { untilSignal } from '../processes/stop-signal.ts'
import { boundYoungGeneration } from '../processes/young-generation.ts'
import { table } from '../table.ts'
import { answerOf, columnsText, progressOf } from './import-output.ts'
import { type OwnerOptions, organizationOf } from './owner.ts'

/** Rows live until their batch is written, so a larger space for new objects saves hardly any time. */
const YOUNG_BYTES = 32 * 1024 * 1024

type PreviewOne = (
  organization: Organization,
  source: Source,
  signal: AbortSignal,
) => Promise<Preview>

/** Shows how an import would read the files. */
export async function previewAll(
  store: Store,
  { org }: OwnerOptions,
  files: string[],
  columns: readonly string[],
  previewOne: PreviewOne,
): Promise<CommandResult> {
  const organization = await organizationOf(store, org)
  const previews = await untilSignal((signal) =>
    Array.fromAsync(files, async (file) => {
      const source = await openSource(file, signal)
      return { file, ...(await previewOne(organization, source, signal)) }
    }),
  )
  return previewAnswer(previews, columns)
}

type ImportOne = (
  organization: Organization,
  source: Source,
  signal: AbortSignal,
  onProgress: (rows: number) => void,
) => Promise<ImportSummary>

/** Imports the files one after the other, until one fails or a signal asks to stop. */
export async function importAll(
  store: Store,
  options: OwnerOptions & { quiet?: boolean },
  files: string[],
  things: ItemTopic,
  importOne: ImportOne,
): Promise<CommandResult> {
  const organization = await organizationOf(store, options.org)
  const progress = progressOf(process.stderr, options.quiet === true)
  const summaries: ImportSummary[] = []
  await untilSignal(async (signal) => {
    for (const file of files) {
      const summary = await summaryOf(file, signal, summaries.length === 0, (source) =>
        importOne(organization, source, signal, (rows) => {
          boundYoungGeneration(YOUNG_BYTES)
          progress.show(file, rows, source.bytesRead(), source.size)
        }),
      )
      summaries.push(summary)
      if (summary.stopped !== null) return
    }
  }).finally(progress.end)
  return answerOf(summaries, things)
}

/**
 * The result of a file. An unreadable or unsuitable file ends the command at once if nothing was imported
 * yet. Later, it must not hide what was imported.
 */
async function summaryOf(
  file: string,
  signal: AbortSignal,
  isFirst: boolean,
  importOne: (source: Source) => Promise<ImportSummary>,
): Promise<ImportSummary> {
  try {
    return await importOne(await openSource(file, signal))
  } catch (error) {
    const isMisuse = error instanceof ImportMisuse
    if (isFirst && isMisuse) throw new UsageError(error.message)
    if (isFirst || !(isMisuse || error instanceof SourceUnreadable)) throw error
    return { ...emptySummary(file), stopped: error.message, complete: false }
  }
}

const SHOWN_ROWS = 10

/**
 * How each file would be read, in both forms, with these fields of its first rows. A file that would be refused is a
 * failure.
 */
function previewAnswer(
  files: readonly (Preview & { file: string })[],
  columns: readonly string[],
): CommandResult {
  const documents = files.map((preview) => {
    const { fields: _, ...document } = previewDocument(preview.file, [], [], preview)
    return document
  })
  const headings = ['line', ...columns, 'rejected'].map((each) =>
    each.replaceAll('_', ' ').toUpperCase(),
  )
  const texts = documents.flatMap(({ file, columns: found, notes, rows }, at) => [
    basename(file),
    ...columnsText({ file, columns: found }, false),
    ...notationText(files[at]!.table?.notation),
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
  const problem = files.find((each) => each.problem !== null)?.problem
  return typeof problem === 'string' ? { ...answer, failure: problem } : answer
}

function cellOf(value: unknown): string | number | null {
  return typeof value === 'number' ? value : value === undefined ? null : String(value)
}

/** How a CSV file is written, as options. */
function notationText(found: NotationFound | undefined): string[] {
  if (found === undefined) return []
  const parts = NOTATION_PARTS.flatMap((part) => {
    const { value, from } = found[part]
    return value === null ? [] : [`${part} ${value} (${from})`]
  })
  return [`Read with: ${parts.join(', ')}`]
}
