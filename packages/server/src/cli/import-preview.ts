import { basename } from 'node:path'
import type { Preview } from '../import/preview.ts'
import { NOTATION_PARTS, type NotationFound } from '../import/tables/notation.ts'
import { previewDocument } from '../operator/imports.ts'
import type { CommandResult } from './command.ts'
import { columnsText } from './commands/import-output.ts'
import { harmless } from './terminal/harmless.ts'
import { table } from './terminal/table.ts'

const SHOWN_ROWS = 10

/**
 * How each file would be read, in both forms, with these fields of its first rows. A file that would be refused is a
 * failure.
 */
export function previewAnswer(
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
