import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { addAll } from '../../base/domain/common/any-number.ts'
import {
  MAPPING_RULES,
  type MappingSettings,
  type SavedMapping,
} from '../../base/domain/import-formats.ts'
import type { Store } from '../../engine/store/store.ts'
import { ImportMisuse, type Remarks, type Row, SourceCut, SourceUnreadable } from './row.ts'
import { countOmitted, type ImportSummary, shortfallOf } from './summary.ts'
import type { Mapping } from './tables/column-mapping.ts'
import { type GivenNotation, NOTHING_GIVEN } from './tables/notation.ts'

/** Handles the rows of an import and counts their outcomes in the summary. */
type RowImport<Waiting> = {
  /** The prepared form of a row. Null if the row is counted already. */
  take(row: Row): Waiting | null | Promise<Waiting | null>
  /** Rows that `write` gets at once. A process that serves writes them in several transactions. */
  batchRows: number
  write(batch: Waiting[]): Promise<void>
}

const INTERRUPTED =
  'interrupted; the rows read so far are imported. It is safe to run the import again: they count as duplicates'

/**
 * Reads a source's rows and writes them in batches, each durable before the next begins, until the source
 * ends or fails or the signal aborts. The summary says which. After each batch `onProgress` gets the
 * number of rows read.
 */
export async function runImport<Waiting>(
  rows: AsyncIterable<Row[]>,
  work: RowImport<Waiting>,
  summary: ImportSummary,
  remarks: Remarks,
  signal: AbortSignal,
  onProgress: (rows: number) => void,
): Promise<void> {
  let batch: Waiting[] = []

  async function flush(): Promise<void> {
    if (batch.length > 0) await work.write(batch)
    batch = []
    onProgress(summary.read)
  }

  async function takeAll(): Promise<void> {
    for await (const portion of rows) {
      for (const row of portion) {
        if (row.fault?.isOmission) {
          countOmitted(summary, row, row.fault)
          continue
        }
        summary.read += 1
        const taken = work.take(row)
        const waiting = taken instanceof Promise ? await taken : taken
        if (waiting !== null) batch.push(waiting)
        if (batch.length === work.batchRows) await flush()
        if (signal.aborted) return
      }
    }
  }

  try {
    await takeAll()
  } catch (error) {
    if (error instanceof SourceUnreadable) {
      summary.stopped = error.message
      summary.truncated = error instanceof SourceCut
    } else if (!signal.aborted || error instanceof ImportMisuse) throw error
  }
  await flush()
  if (signal.aborted) summary.stopped = INTERRUPTED
  summary.truncated ||= remarks.truncated
  addAll(summary.notes, remarks.notes)
  summary.columns = remarks.columns
  if (summary.stopped === null) addAll(summary.notes, nothingStored(summary))
  summary.complete = shortfallOf(summary) === null
}

/** Without rows, or with rows that changed nothing, the file may be another one than the caller meant. */
function nothingStored({ file, read, duplicate, omitted, columns }: ImportSummary): string[] {
  const { ignored } = columns
  const isEmpty = read === 0 && Object.keys(omitted).length === 0
  if (isEmpty) return [`'${file}' has no rows; nothing was imported`]
  if (read === 0 || duplicate < read || ignored.length === 0) return []
  return [
    `every row of '${file}' already exists; these columns were not used: ${ignored.join(', ')}`,
  ]
}

/** The choices of a caller for a file. */
type FileChoices = {
  mapping: Mapping
  notation: GivenNotation
  speedUnit?: string | null
  distanceUnit: string | null
  timezone?: string | null
}

const NOTHING_CHOSEN: MappingSettings = {
  columns: {},
  ...NOTHING_GIVEN,
  speedUnit: null,
  distanceUnit: null,
  timezone: null,
}

/** The saved mappings for a kind of import. */
export async function mappingsFor(
  store: Store,
  organization: number,
  kind: string,
): Promise<SavedMapping[]> {
  const saved = await store.savedMappings.list(organization)
  return saved.filter((each) => each.kind === kind)
}

/**
 * Saves the choices with which rows of a table were imported, in addition to those that are saved for its headings. An
 * import without choices, or with the saved ones, saves nothing.
 */
export async function saveMapping(
  store: Store,
  organization: number,
  kind: string,
  choices: FileChoices,
  { table }: Remarks,
  { accepted, file }: ImportSummary,
  now: number,
): Promise<void> {
  if (table === null || accepted === 0) return
  const { headings, saved } = table
  const before = saved?.settings ?? NOTHING_CHOSEN
  const settings = withChoices(before, choices)
  if (isDeepStrictEqual(settings, before)) return
  const id = idOf(kind, headings)
  const name = nameFor(file, kind)
  await store.savedMappings.put(organization, { id, kind, headings, name, settings, savedAt: now })
}

/** The name of a file, unless it has characters that no name may have. */
function nameFor(file: string, kind: string): string {
  const name = basename(file)
  return MAPPING_RULES.name.holds(name) ? name : kind
}

function withChoices(before: MappingSettings, choices: FileChoices): MappingSettings {
  const { mapping, notation, speedUnit = null, distanceUnit, timezone = null } = choices
  const chosen = Object.entries({ ...notation, speedUnit, distanceUnit, timezone })
  return {
    ...before,
    ...Object.fromEntries(chosen.filter(([, value]) => value !== null)),
    columns: { ...before.columns, ...Object.fromEntries(mapping) },
  }
}

/** A whole number that JSON and both stores keep, the same for the same headings. */
function idOf(kind: string, headings: readonly string[]): number {
  const text = JSON.stringify([kind, ...headings])
  return createHash('sha256').update(text).digest().readUIntBE(0, 6)
}
