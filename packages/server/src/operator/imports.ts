import type { PreviewRow } from '../import/preview-positions.ts'
import { isFault } from '../import/row.ts'
import {
  instantOrNull,
  integer,
  list,
  optional,
  plain,
  realOrNull,
  record,
  text,
  textOrNull,
  texts,
  yes,
} from './schema.ts'

const SHOWN = record(
  {
    file: text('Name of the file.'),
    line: integer('Line, from 1.'),
    text: text('How it begins.'),
    detail: text('The problem of the row.'),
  },
  'A line of the file.',
)
const TALLY = record(
  { count: integer('How many.'), first: list(SHOWN) },
  'Rows with the same result.',
)
const byField = (description: string) =>
  plain<Readonly<Record<string, string>>>(
    { type: 'object', additionalProperties: { type: 'string' } },
    description,
  )

const COLUMN_USE = record(
  {
    used: byField('By field: the column that was mapped, or that has the field’s own name.'),
    guessed: byField('By field: the column that was recognized by another usual name.'),
    ignored: texts('The other columns.'),
  },
  'How the columns of the file were read. Several columns of one field are separated by commas. GPX has none.',
)
export const IMPORT_SUMMARY = record(
  {
    file: text('Name of the file.'),
    read: integer('Rows read: accepted, duplicate, conflict and rejected together.'),
    accepted: integer('Rows that were taken.'),
    duplicate: integer('Rows that exist already, unchanged.'),
    conflict: integer('Rows that another contradicts.'),
    rejected: integer('Rows that cannot be taken.'),
    created: integer('The number of accepted rows that created an item.'),
    updated: integer('The number of accepted rows that changed an existing item.'),
    reasons: plain<object>(
      { type: 'object', additionalProperties: TALLY.schema },
      'The number of rejected rows by reason.',
    ),
    duplicates: TALLY,
    conflicts: TALLY,
    columns: COLUMN_USE,
    truncated: yes('Whether the file is cut off.'),
    notes: texts('Further remarks.'),
    stopped: textOrNull('Why the rest was not read. Null: all was.'),
  },
  'The results for the rows of a file.',
  'ImportSummary',
)

const PREVIEW_ROW = record(
  {
    line: integer('Line of the file, from 1.'),
    text: text('The row, up to 160 characters.'),
    ident: textOrNull('Ident of the object.'),
    time_device: instantOrNull('When the position was taken.'),
    latitude: realOrNull('Degrees.'),
    longitude: realOrNull('Degrees.'),
    speed: realOrNull('km/h.'),
    rejected: textOrNull('Why the row would be rejected. Null: it would be taken.'),
  },
  'A row as it would be read.',
)

export const IMPORT_PREVIEW = record(
  {
    file: text('Name of the file.'),
    fields: list(
      record(
        { name: text('Name.'), required: yes('Whether it must have a column.') },
        'A field that a column can fill.',
      ),
    ),
    columns: COLUMN_USE,
    rows: list(PREVIEW_ROW),
    notes: texts('Remarks, as sentences.'),
    problem: textOrNull('Why the import would be refused. Null: it would begin.'),
  },
  'How a file of positions would be read.',
  'ImportPreview',
)

export const ERROR = record(
  {
    code: text('A word for programs to decide by.'),
    message: text('A sentence that says what is wrong and what to do.'),
    field: textOrNull('The wrong field. Null if no field is wrong.'),
  },
  'The body of every error.',
  'ErrorBody',
)

const PROGRESS = record(
  {
    rows: integer('Rows read so far.'),
    bytes: integer('Bytes read so far.'),
    size: integer('Bytes of the file.'),
  },
  'How far a file is read.',
)

export const IMPORT_LINE = record(
  {
    progress: optional(PROGRESS),
    summary: optional(IMPORT_SUMMARY),
    error: optional(ERROR),
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
