import { basename } from 'node:path'
import type { PositionPreview } from '../import/preview-positions.ts'
import { previewRowDocument } from '../operator/imports.ts'
import type { CommandResult } from './command.ts'
import { columnsText } from './commands/import-output.ts'
import { harmless } from './terminal/harmless.ts'
import { table } from './terminal/table.ts'

const SHOWN_ROWS = 10
const HEADINGS = ['LINE', 'IDENT', 'TIME DEVICE', 'LATITUDE', 'LONGITUDE', 'SPEED', 'REJECTED']

/** How each file would be read, in both forms. A file that would be refused is a failure. */
export function previewAnswer(
  files: readonly (PositionPreview & { file: string })[],
): CommandResult {
  const documents = files.map(({ rows, ...rest }) => ({
    ...rest,
    rows: rows.map(previewRowDocument),
  }))
  const texts = documents.flatMap(({ file, columns, notes, rows }) => [
    basename(file),
    ...columnsText({ file, columns }, false),
    ...notes.map((note) => `Note: ${harmless(note)}`),
    table(HEADINGS, rows.slice(0, SHOWN_ROWS).map(cellsOf)),
  ])
  const answer = { json: { files: documents }, text: texts.join('\n\n') }
  const problem = files.find((each) => each.problem !== null)?.problem
  return typeof problem === 'string' ? { ...answer, failure: problem } : answer
}

function cellsOf(row: ReturnType<typeof previewRowDocument>) {
  const { line, ident, time_device, latitude, longitude, speed, rejected } = row
  return [line, ident, time_device, latitude, longitude, speed, rejected]
}
