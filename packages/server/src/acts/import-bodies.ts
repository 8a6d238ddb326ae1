import { IMPORT_KINDS, MAPPING_RULES } from '../base/domain/import-formats.ts'
import type { Preview, Values } from '../work/import/import-preview.ts'
import { type Fault, isFault, type Rivals } from '../work/import/row.ts'
import { ORIGINS } from '../work/import/tables/notation.ts'
import * as doc from './document-schema.ts'
import { patchInput } from './input.ts'

const SHOWN = doc.record(
  {
    file: doc.text('Name of the file.'),
    line: doc.integer('Line, from 1.'),
    text: doc.text('The beginning of the line.'),
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
    read: doc.integer('Rows read: accepted, duplicate, conflict, rejected and withheld together.'),
    accepted: doc.integer('Rows that were imported.'),
    duplicate: doc.integer('Rows that already exist, unchanged.'),
    conflict: doc.integer('Rows that contradict another row.'),
    rejected: doc.integer('Rows that cannot be imported.'),
    created: doc.integer('The number of accepted rows that created an item.'),
    updated: doc.integer('The number of accepted rows that changed an existing item.'),
    withheld: doc.plain<object>(
      { type: 'object', additionalProperties: { type: 'integer' } },
      'The number of rows that were not stored, by reason. `private`: positions of the private hours of an object.',
    ),
    reasons: doc.plain<object>(
      { type: 'object', additionalProperties: TALLY.schema },
      'The number of rejected rows by reason.',
    ),
    omitted: doc.plain<object>(
      { type: 'object', additionalProperties: TALLY.schema },
      'Items that this import leaves out, by kind, such as waypoints among positions. They are not in `read`.',
    ),
    duplicates: TALLY,
    conflicts: TALLY,
    columns: COLUMN_USE,
    truncated: doc.yes('Whether the file is cut off.'),
    notes: doc.texts('Further remarks.'),
    stopped: doc.textOrNull('Why the rest was not read. Null: the whole file was read.'),
    complete: doc.yes(
      'Whether everything was imported: the whole file was read, and no row was rejected or in conflict. Also false if the file has only other items.',
    ),
  },
  'The results for the rows of a file.',
  'ImportSummary',
)

const PREVIEW_ROW = doc.record(
  {
    line: doc.integer('Line of the file, from 1.'),
    text: doc.text('The row, up to 160 characters.'),
    values: doc.plain<Values | null>(
      { type: ['object', 'null'], additionalProperties: { type: ['string', 'number', 'boolean'] } },
      'By field: the value as it would be stored. Speeds are km/h, distances km and times UTC. Null if the row would be rejected.',
    ),
    rejected: doc.textOrNull('Why the row would be rejected. Null: it would be imported.'),
  },
  'A row as it would be read.',
)

const PART = doc.record(
  {
    value: doc.textOrNull('The value that the import takes. Null: it is `open`.'),
    from: doc.choice(
      ORIGINS,
      'The source of the value: the parameter (`given`), a saved mapping, the file, or the usual value, because nothing in the file depends on it. `open`: the file allows several values, and the parameter of this name has to choose.',
    ),
    example: doc.textOrNull('A text of the file that shows it or is ambiguous.'),
    choices: doc.list(
      doc.record(
        {
          value: doc.text('A value for the parameter.'),
          reads: doc.text('The example as it is read with that value.'),
        },
        'A way to read the file.',
      ),
      'The ways to read the file, if it is `open`.',
    ),
  },
  'A part of the form of a CSV file.',
  'TablePart',
)

const TABLE = doc.record(
  { encoding: PART, delimiter: PART, decimal: PART, dates: PART },
  'How a CSV file is written, by the names of the parameters that decide it. Null: it is no CSV, or has no header.',
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
    table: doc.plain<ReturnType<(typeof TABLE)['write']> | null>({
      ...TABLE.schema,
      type: ['object', 'null'],
    }),
    saved_mapping: doc.integerOrNull(
      'The saved mapping for the headings of the file. The import uses it. Null: there is none.',
    ),
    rows: doc.list(PREVIEW_ROW),
    notes: doc.texts('Remarks, as sentences.'),
    problem: doc.textOrNull('Why the import would be refused. Null: it would be accepted.'),
    local_zones: doc.texts(
      'The time zones of the objects, in which times without an offset are read. Empty if there are no such times, or `timezone` or a heading names their zone.',
    ),
    rivals: doc.plain<Rivals | null>({
      ...doc.record(
        { field: doc.text('The field.'), columns: doc.texts('Its possible columns.') },
        'A field for which several columns are equally likely: choose one by `map`. Null: there is no such field.',
      ).schema,
      type: ['object', 'null'],
    }),
    taken_by: doc.list(
      doc.choice(IMPORT_KINDS, 'An import.'),
      'The imports that accept the file, if it has the columns of another kind.',
    ),
  },
  'How a file would be read.',
  'ImportPreview',
)

export const ERROR = doc.record(
  {
    code: doc.text('A code for programs.'),
    message: doc.text('A sentence that says what is wrong and what to do.'),
    field: doc.textOrNull('The wrong field. Null if no field is wrong.'),
  },
  'The body of every error.',
  'ErrorBody',
)

export const SAVED_MAPPING = doc.record(
  {
    id: doc.integer('Its id.'),
    kind: doc.text('The import: `positions`, `objects`, `geofences`, `routes` or `sites`.'),
    headings: doc.texts('The headings by which a file is recognized.'),
    name: doc.text('Its name: the name of the first file, unless it was changed.'),
    settings: doc.record(
      {
        columns: byField('By field: the column that was chosen.'),
        encoding: doc.textOrNull(
          'The encoding. Null: detected in the file. The next three are null in the same way.',
        ),
        delimiter: doc.textOrNull('The character between cells.'),
        decimal: doc.textOrNull('The decimal mark.'),
        dates: doc.textOrNull('The order of day, month and year.'),
        speed_unit: doc.textOrNull(
          'The unit of speed. Null: it was not chosen. The next field is null in the same way.',
        ),
        distance_unit: doc.textOrNull('The unit of distances.'),
        timezone: doc.textOrNull('The time zone of times without an offset. Null: of the device.'),
      },
      'The choices.',
    ),
    saved_at: doc.instant('When a file was last imported with different choices.'),
  },
  'How a CSV file was read. Later files with the same headings are read in the same way.',
  'SavedMapping',
)
export const MAPPING_PATCH = patchInput(
  'MappingPatch',
  MAPPING_RULES,
  'The fields of a saved mapping that change.',
)

export const SAVED_MAPPINGS = doc.items(
  SAVED_MAPPING,
  'The saved mappings of an organization, the newest first.',
  'SavedMappings',
)

export const savedMappingDocument = SAVED_MAPPING.write

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

/** The document of a preview. `fields`: those of the import, `required` those that must have a column. */
export function previewDocument(
  file: string,
  fields: readonly { name: string }[],
  required: readonly string[],
  { columns, table, rows, notes, problem, localZones, rivals, takenBy }: Preview,
) {
  return IMPORT_PREVIEW.write({
    ...{ file, columns, notes, problem, localZones, rivals, takenBy },
    fields: fields.map(({ name }) => ({ name, required: required.includes(name) })),
    table: table === null ? null : TABLE.write(table.notation),
    savedMapping: table?.saved?.id ?? null,
    rows: rows.map(({ line, text, read }) => ({
      line,
      text: text.slice(0, 160),
      values: isRejected(read) ? null : read,
      rejected: isRejected(read) ? read.detail : null,
    })),
  })
}

function isRejected(read: Values | Fault): read is Fault {
  return isFault(read)
}
