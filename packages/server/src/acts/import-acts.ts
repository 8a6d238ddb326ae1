import { isOperator } from '../base/domain/account.ts'
import {
  CATALOGUE_FORMATS,
  catalogueFormats,
  IMPORT_KINDS,
  type ImportFormat,
  type ImportKind,
  POSITION_FORMATS,
} from '../base/domain/import-formats.ts'
import { byTopic, type ItemTopic } from '../base/domain/item-rules.ts'
import { ACCURACY_RULES, OBJECT_RULES } from '../base/domain/monitored-object.ts'
import type { Organization } from '../base/domain/organization.ts'
import {
  boolean,
  described,
  oneOf,
  optional,
  type Rule,
  type Rules,
  TEXT,
} from '../base/domain/setting-rule.ts'
import type { Clock } from '../base/domain/time/time.ts'
import { CATALOGUE_FIELDS, importCatalogue } from '../work/import/import-catalogue.ts'
import { importPositions } from '../work/import/import-positions.ts'
import { type Preview, previewCatalogue, previewPositions } from '../work/import/import-preview.ts'
import type { Source } from '../work/import/import-source.ts'
import { formatOf } from '../work/import/other-kind.ts'
import { POSITION_ESSENTIALS, POSITION_FIELDS } from '../work/import/position-row.ts'
import type { ImportSummary } from '../work/import/summary.ts'
import {
  LENGTH_UNITS,
  type LengthUnit,
  SPEED_UNITS,
  type SpeedUnit,
} from '../work/import/tables/cells.ts'
import { type Field, mappingOf } from '../work/import/tables/column-mapping.ts'
import { NOTATION_OPTIONS, notationOf } from '../work/import/tables/find-notation.ts'
import { NOTATION_PARTS, type NotationPart } from '../work/import/tables/notation.ts'
import { type Act, type ActCall, ADMINISTRATORS, organizationOf } from './act.ts'
import { IMPORT_PREVIEW, IMPORT_SUMMARY, previewDocument } from './import-bodies.ts'
import { type QueryInput, queryInput } from './query.ts'

/** The input of an act on a file. */
export type FileCall = ActCall & {
  source: Source
  /** The format that the caller names, if it is one of these. Undefined: the name of the file shows it. */
  formatIn<Format extends ImportFormat>(formats: readonly Format[]): Format | undefined
  /** The unit of objects' odometer and mileage. Null: the organization's. */
  distanceUnit: LengthUnit | null
  clock: Clock
  /** When aborted, the import ends after its current batch. */
  signal: AbortSignal
  onProgress(rows: number): void
}

/** An act on a file. `run` throws `ImportMisuse` too, which names options as the command line does. */
export type FileAct<Answer> = Omit<Act, 'takes' | 'run' | 'query'> & {
  takes: 'file'
  query: QueryInput<FileQuery>
  run(call: FileCall): Promise<Answer>
}

type FileQuery = { file: string | null; map: string | null } & {
  [Part in NotationPart]: string | null
}
type PositionsQuery = FileQuery & {
  attribute: string | null
  ident: string | null
  timezone: string | null
  speedUnit: SpeedUnit | null
  distanceUnit: LengthUnit | null
  createObjects: boolean | null
}

const ANY_TEXT = optional(TEXT)

const FILE_RULES = {
  file: described(
    ANY_TEXT,
    'The name of the file. Its extension determines the format, unless the content type does.',
  ),
  map: described(
    ANY_TEXT,
    'The columns of fields that the import does not recognize: `field=column,…`.',
  ),
  ...byTopic(NOTATION_PARTS, notationRule),
} satisfies Rules<FileQuery>

/** The import itself refuses other words than the choices. */
function notationRule(part: NotationPart): Rule {
  const { choices, about } = NOTATION_OPTIONS[part]
  const rule = {
    ...ANY_TEXT,
    schema: { ...ANY_TEXT.schema, ...(choices !== null && { enum: choices }) },
  }
  const sentence = `${about[0]!.toUpperCase()}${about.slice(1)}`
  return described(rule, {
    description: `${sentence}. Default: detected in the file.`,
    help: `${about} (default: detected in the file)`,
  })
}

const FILE = queryInput<FileQuery>(FILE_RULES)
const POSITIONS = queryInput<PositionsQuery>({
  ...FILE_RULES,
  attribute: described(
    ANY_TEXT,
    'The columns that are attributes: `name` or `name=column`, separated by commas. Values are kept under the names.',
  ),
  ident: described(
    { ...optional(OBJECT_RULES.ident), schema: TEXT.schema },
    {
      description: 'The object of every row, whatever the file says.',
      help: 'the ident of the object of every row, whatever idents the file has',
    },
  ),
  timezone: described(optional(ACCURACY_RULES.deviceTimezone), {
    description:
      'The time zone of times without an offset. Default: each object’s `device_timezone`, in GPX and KML UTC.',
    help: "the time zone of times without an offset (default: each object's device_timezone, in GPX and KML UTC)",
    placeholder: 'zone',
  }),
  speedUnit: described(optional(oneOf(Object.keys(SPEED_UNITS))), {
    description:
      'The unit of speed in the file. Default: the unit of its format, which is `kmh` in CSV and NDJSON.',
    help: "the file's unit of speed (default: the format's, which is kmh in CSV and NDJSON)",
  }),
  distanceUnit: described(optional(oneOf(Object.keys(LENGTH_UNITS))), {
    description: 'The unit of the odometer in the file. Default: the organization’s.',
    help: "the file's unit of odometer and mileage (default: the organization's)",
  }),
  createObjects: described(optional(boolean), {
    description: 'Whether an unknown ident creates an object. Default: false.',
    help: 'create an object for each ident that is not known',
  }),
})

/** How a kind of import reads its files, KMZ as packed KML. */
type Reading = {
  files: string
  query: QueryInput<FileQuery>
  fields: readonly Field[]
  /** The fields that must have a column. */
  required: readonly string[]
  /** Throw `Refused` or `ImportMisuse`. */
  run(call: FileCall, organization: Organization): Promise<ImportSummary>
  preview(call: FileCall, organization: Organization): Promise<Preview>
}

const FILES: Readonly<Record<ItemTopic, string>> = {
  objects: 'CSV or NDJSON',
  geofences: 'CSV, NDJSON, GeoJSON, KML or KMZ',
  routes: 'CSV, NDJSON, GeoJSON, GPX, KML or KMZ',
  sites: 'CSV, NDJSON, GeoJSON, GPX, KML or KMZ',
}

const POSITIONS_READING: Reading = {
  files: 'CSV, NDJSON, GPX, KML, GeoJSON, or an export of OwnTracks or Google',
  query: POSITIONS,
  fields: POSITION_FIELDS,
  required: POSITION_ESSENTIALS,
  run: (call, organization) =>
    importPositions(call.store, organization, call.source, positionsIn(call), call.onProgress),
  preview: (call, organization) =>
    previewPositions(call.store, organization, call.source, positionsIn(call)),
}

function catalogueReading(kind: ItemTopic): Reading {
  const fields = CATALOGUE_FIELDS[kind]
  const optionsOf = ({ source, clock, signal, ...call }: FileCall) => ({
    format: call.formatIn(CATALOGUE_FORMATS) ?? formatOf(source.name, catalogueFormats(kind)),
    ...tableIn(FILE.in(call.query), fields),
    distanceUnit: call.distanceUnit,
    // People of one organization must neither learn nor shift the ids of others.
    keepsIds: isOperator(call.by.roles),
    ...{ clock, signal },
  })
  return {
    ...{ files: FILES[kind], query: FILE, fields },
    required: [kind === 'objects' ? 'ident' : 'name'],
    run(call, organization) {
      const { store, source, onProgress } = call
      return importCatalogue(store, organization, kind, source, optionsOf(call), onProgress)
    },
    preview: (call, organization) =>
      previewCatalogue(call.store, organization, kind, call.source, optionsOf(call)),
  }
}

function positionsIn({ source, clock, signal, ...call }: FileCall) {
  const { attribute, createObjects, ...asked } = POSITIONS.in(call.query)
  const { ident, timezone, speedUnit, distanceUnit } = asked
  return {
    format: call.formatIn(POSITION_FORMATS) ?? formatOf(source.name, POSITION_FORMATS),
    ...tableIn(asked, POSITION_FIELDS, attribute),
    ...{ ident, timezone, speedUnit, distanceUnit, clock, signal },
    createObjects: createObjects === true,
  }
}

/** How a caller says to read a table. Throws `ImportMisuse`. */
function tableIn(asked: FileQuery, fields: readonly Field[], attributes: string | null = null) {
  return {
    mapping: mappingOf(asked.map, fields, attributes),
    notation: notationOf((part) => asked[part]),
  }
}

function importActs(kind: ImportKind) {
  const reading = kind === 'positions' ? POSITIONS_READING : catalogueReading(kind)
  const { files, query, fields, required } = reading
  const Kind = `${kind[0]!.toUpperCase()}${kind.slice(1)}`
  const path = `/organizations/{organization}/import/${kind}`
  const shared = {
    ...({ method: 'POST', who: ADMINISTRATORS, takes: 'file', status: 200 } as const),
    ...{ query, tag: kind === 'objects' || kind === 'positions' ? 'Objects' : 'Places' },
  }
  const run: FileAct<ImportSummary> = {
    ...shared,
    ...{ id: `import${Kind}`, path, answers: IMPORT_SUMMARY },
    summary: `Import ${kind} from a file: ${files}`,
    run: async (call) => reading.run(call, await organizationOf(call)),
  }
  const preview: FileAct<ReturnType<typeof previewDocument>> = {
    ...shared,
    id: kind === 'positions' ? 'previewImport' : `preview${Kind}Import`,
    path: `${path}/preview`,
    answers: IMPORT_PREVIEW,
    summary: `How the first 100 rows of a file of ${kind} would be read. The head of the file is enough; nothing is written`,
    async run(call) {
      const read = await reading.preview(call, await organizationOf(call))
      return previewDocument(call.source.name, fields, required, read)
    },
  }
  return { run, preview, fields }
}

export const IMPORT_ACTS = byTopic(IMPORT_KINDS, importActs)
