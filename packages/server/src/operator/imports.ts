import type { PreviewRow } from '../import/preview-positions.ts'
import { isFault } from '../import/row.ts'
import * as doc from './schema.ts'

const SHOWN = doc.record(
  {
    file: doc.text('Name of the file.'),
    line: doc.integer('Line, from 1.'),
    text: doc.text('How it begins.'),
    detail: doc.text('The problem of the row.'),
  },
  'A line of the file.',
)
const TALLY = doc.record(
  { count: doc.integer('How many.'), first: doc.list(SHOWN) },
  'Rows with the same result.',
)
const byField = (description: string) =>
  doc.plain<Readonly<Record<string, string>>>(
    { type: 'object', additionalProperties: { type: 'string' } },
    description,
  )

const COLUMN_USE = doc.record(
  {
    used: byField('By field: the column that was mapped, or that has the field’s own name.'),
    guessed: byField('By field: the column that was recognized by another usual name.'),
    ignored: doc.texts('The other columns.'),
  },
  'How the columns of the file were read. Several columns of one field are separated by commas. GPX has only ignored ones.',
)
export const IMPORT_SUMMARY = doc.record(
  {
    file: doc.text('Name of the file.'),
    read: doc.integer('Rows read: accepted, duplicate, conflict and rejected together.'),
    accepted: doc.integer('Rows that were taken.'),
    duplicate: doc.integer('Rows that exist already, unchanged.'),
    conflict: doc.integer('Rows that another contradicts.'),
    rejected: doc.integer('Rows that cannot be taken.'),
    created: doc.integer('The number of accepted rows that created an item.'),
    updated: doc.integer('The number of accepted rows that changed an existing item.'),
    reasons: doc.plain<object>(
      { type: 'object', additionalProperties: TALLY.schema },
      'The number of rejected rows by reason.',
    ),
    omitted: doc.plain<object>(
      { type: 'object', additionalProperties: TALLY.schema },
      'Things that this import does not take, by kind, such as waypoints among positions. They are not in `read`.',
    ),
    duplicates: TALLY,
    conflicts: TALLY,
    columns: COLUMN_USE,
    truncated: doc.yes('Whether the file is cut off.'),
    notes: doc.texts('Further remarks.'),
    stopped: doc.textOrNull('Why the rest was not read. Null: all was.'),
    complete: doc.yes(
      'Whether everything that was asked for is in: no row was rejected or in conflict, and all was read. False as well if the file has other things alone.',
    ),
  },
  'The results for the rows of a file.',
  'ImportSummary',
)

const PREVIEW_ROW = doc.record(
  {
    line: doc.integer('Line of the file, from 1.'),
    text: doc.text('The row, up to 160 characters.'),
    ident: doc.textOrNull('Ident of the object.'),
    time_device: doc.instantOrNull('When the position was taken.'),
    latitude: doc.realOrNull('Degrees.'),
    longitude: doc.realOrNull('Degrees.'),
    speed: doc.realOrNull('km/h.'),
    rejected: doc.textOrNull('Why the row would be rejected. Null: it would be taken.'),
  },
  'A row as it would be read.',
)

export const IMPORT_PREVIEW = doc.record(
  {
    file: doc.text('Name of the file.'),
    fields: doc.list(
      doc.record(
        { name: doc.text('Name.'), required: doc.yes('Whether it must have a column.') },
        'A field that a column can fill.',
      ),
    ),
    columns: COLUMN_USE,
    rows: doc.list(PREVIEW_ROW),
    notes: doc.texts('Remarks, as sentences.'),
    problem: doc.textOrNull('Why the import would be refused. Null: it would begin.'),
  },
  'How a file of positions would be read.',
  'ImportPreview',
)

export const ERROR = doc.record(
  {
    code: doc.text('A word for programs to decide by.'),
    message: doc.text('A sentence that says what is wrong and what to do.'),
    field: doc.textOrNull('The wrong field. Null if no field is wrong.'),
  },
  'The body of every error.',
  'ErrorBody',
)

const PROGRESS = doc.record(
  {
    rows: doc.integer('Rows read so far.'),
    bytes: doc.integer('Bytes read so far.'),
    size: doc.integer('Bytes of the file.'),
  },
  'How far a file is read.',
)

export const IMPORT_LINE = doc.record(
  {
    progress: doc.optional(PROGRESS),
    summary: doc.optional(IMPORT_SUMMARY),
    error: doc.optional(ERROR),
  },
  'A line of an answer that shows its progress. It has one of these members. The last line has the summary or the error.',
  'ImportLine',
)

/** A row's values as they would be stored, or why it would be rejected. */
export function previewRowDocument({ line, text, read }: PreviewRow) {
  const { ident, fix } = isFault(read) ? { ident: null, fix: null } : read
  return PREVIEW_ROW.write({
    ...{ line, text: text.slice(0, 160), ident },
    timeDevice: fix?.timeDevice ?? null,
    latitude: fix?.latitude ?? null,
    longitude: fix?.longitude ?? null,
    speed: fix?.speed ?? null,
    rejected: isFault(read) ? read.detail : null,
  })
}
