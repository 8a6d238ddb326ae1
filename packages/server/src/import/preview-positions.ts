import type { Organization } from '../domain/organization.ts'
import type { Store } from '../store/store.ts'
import { openPositions, type PositionOptions } from './import-positions.ts'
import type { Position } from './position-row.ts'
import {
  type ColumnUse,
  type Fault,
  ImportMisuse,
  isFault,
  noRemarks,
  type Row,
  SourceUnreadable,
} from './row.ts'
import type { Source } from './source.ts'

export type PreviewRow = { line: number; text: string; read: Position | Fault }

/** How an import of positions would read a file. */
export type PositionPreview = {
  columns: ColumnUse
  rows: PreviewRow[]
  /** Remarks, as sentences. */
  notes: string[]
  /** Why the import would be refused, as a sentence. Null: it would not. */
  problem: string | null
}

const PREVIEWED_ROWS = 100

/** Reads the first rows of a source, or of its head, as an import would, and writes nothing. */
export async function previewPositions(
  store: Store,
  organization: Organization,
  source: Source,
  options: PositionOptions,
): Promise<PositionPreview> {
  const remarks = noRemarks()
  const rows: PreviewRow[] = []
  const omissions = new Map<string, string>()
  let problem: string | null = null
  try {
    const opened = await openPositions(store, organization, source, options, remarks)
    for await (const row of first(withoutOmissions(opened.rows, omissions), PREVIEWED_ROWS)) {
      const read = opened.read(row)
      // The end of a head cuts a row that is whole in the file.
      if (isFault(read) && read.reason === 'truncated') continue
      rows.push({ line: row.line, text: row.text, read })
    }
  } catch (error) {
    const isUnreadable = error instanceof SourceUnreadable
    if (!isUnreadable && !(error instanceof ImportMisuse)) throw error
    const isRead = rows.length > 0 || omissions.size > 0
    if (!isUnreadable || !isRead) problem = error.message
  }
  const notes = [...remarks.notes, ...omissions.values()]
  return { columns: remarks.columns, rows, notes, problem }
}

/** The rows that the import would count as read. `omissions` gets a sentence for each kind of thing left out. */
async function* withoutOmissions(
  portions: AsyncIterable<Row[]>,
  omissions: Map<string, string>,
): AsyncGenerator<Row[]> {
  for await (const portion of portions) {
    yield portion.filter(({ line, fault }) => {
      if (!fault?.isOmission) return true
      const thing = fault.reason.replaceAll('_', ' ')
      if (!omissions.has(thing)) {
        omissions.set(
          thing,
          `each ${thing} is left out, the first in line ${line}: ${fault.detail}`,
        )
      }
      return false
    })
  }
}

async function* first(portions: AsyncIterable<Row[]>, most: number): AsyncGenerator<Row> {
  let left = most
  for await (const portion of portions) {
    yield* portion.slice(0, left)
    left -= portion.length
    if (left <= 0) return
  }
}
