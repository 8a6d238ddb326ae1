import { ADMINISTRATORS, organizationOf } from '../../../acts/act.ts'
import { IMPORT_PREVIEW, IMPORT_SUMMARY, previewDocument } from '../../../acts/imports.ts'
import { Refused } from '../../../acts/refused.ts'
import { isOperator } from '../../../base/domain/account.ts'
import {
  CATALOGUE_FORMATS,
  catalogueFormats,
  formatOfType,
} from '../../../base/domain/import-formats.ts'
import { ITEM_TOPICS, type ItemTopic } from '../../../base/domain/items.ts'
import {
  CATALOGUE_FIELDS,
  type CatalogueOptions,
  importCatalogue,
} from '../../../work/import/import-catalogue.ts'
import { formatOf } from '../../../work/import/other-kind.ts'
import { type Preview, previewCatalogue } from '../../../work/import/preview.ts'
import { ImportMisuse } from '../../../work/import/row.ts'
import type { Source } from '../../../work/import/source.ts'
import type { ImportSummary } from '../../../work/import/summary.ts'
import { type Field, mappingOf } from '../../../work/import/tables/columns.ts'
import { NOTATION_OPTIONS, notationOf } from '../../../work/import/tables/find-notation.ts'
import { NOTATION_PARTS, type NotationPart } from '../../../work/import/tables/notation.ts'
import { type AdminOperation, type Call, operations } from '../admin-api.ts'
import { openUpload } from '../body.ts'

export const FILE_QUERY: NonNullable<AdminOperation['query']> = {
  file: {
    schema: { type: 'string' },
    description:
      'The name of the file. Its extension gives the format, unless the type of the body does.',
  },
  map: {
    schema: { type: 'string' },
    description: 'The columns of fields that the import does not recognize: `field=column,…`.',
  },
  ...Object.fromEntries(
    NOTATION_PARTS.map((part) => [part, notationParameter(NOTATION_OPTIONS[part])]),
  ),
}

function notationParameter({ choices, about }: (typeof NOTATION_OPTIONS)[NotationPart]) {
  const sentence = `${about[0]!.toUpperCase()}${about.slice(1)}`
  return {
    schema: { type: 'string', ...(choices !== null && { enum: [...choices] }) },
    description: `${sentence}. Default: detected in the file.`,
  }
}

/** The files of each import. KMZ is a packed KML. */
const FILES: Readonly<Record<ItemTopic, string>> = {
  objects: 'CSV or NDJSON',
  geofences: 'CSV, NDJSON, GeoJSON, KML or KMZ',
  routes: 'CSV, NDJSON, GeoJSON, GPX, KML or KMZ',
  sites: 'CSV, NDJSON, GeoJSON, GPX, KML or KMZ',
}

export const CATALOGUE_IMPORTS = ITEM_TOPICS.flatMap((kind) =>
  operations(kind === 'objects' ? 'Objects' : 'Places', [
    {
      id: `import${kind[0]!.toUpperCase()}${kind.slice(1)}`,
      method: 'POST',
      path: `/organizations/{organization}/import/${kind}`,
      who: ADMINISTRATORS,
      summary: `Import ${kind} from a file: ${FILES[kind]}`,
      query: FILE_QUERY,
      takes: 'file',
      status: 200,
      answers: IMPORT_SUMMARY,
      run: (call) => importUpload(call, (source) => importKind(kind, call, source)),
    },
    {
      id: `preview${kind[0]!.toUpperCase()}${kind.slice(1)}Import`,
      method: 'POST',
      path: `/organizations/{organization}/import/${kind}/preview`,
      who: ADMINISTRATORS,
      summary: `How the first 100 rows of a file of ${kind} would be read. The head of the file is enough; nothing is written`,
      query: FILE_QUERY,
      takes: 'file',
      status: 200,
      answers: IMPORT_PREVIEW,
      run: (call) => importUpload(call, (source) => previewKind(kind, call, source)),
    },
  ]),
)

async function importKind(kind: ItemTopic, call: Call, source: Source): Promise<ImportSummary> {
  const organization = await organizationOf(call)
  const options = optionsOf(kind, call, source.name)
  return importCatalogue(call.store, organization, kind, source, options, progressOf(call, source))
}

async function previewKind(kind: ItemTopic, call: Call, source: Source) {
  const organization = await organizationOf(call)
  const options = optionsOf(kind, call, source.name)
  const preview = await previewCatalogue(call.store, organization, kind, source, options)
  const required = [kind === 'objects' ? 'ident' : 'name']
  return previewDocument(source.name, CATALOGUE_FIELDS[kind], required, inParameters(preview))
}

/** Throws `ImportMisuse`. */
function optionsOf(kind: ItemTopic, call: Call, name: string): CatalogueOptions {
  const { caller, query, contentType, api, signal } = call
  return {
    format: formatOfType(CATALOGUE_FORMATS, contentType) ?? formatOf(name, catalogueFormats(kind)),
    ...tableOptionsIn(query, CATALOGUE_FIELDS[kind]),
    distanceUnit: null,
    // People of one organization must neither learn nor shift the ids of others.
    keepsIds: isOperator(caller!.roles),
    clock: api.clock,
    signal,
  }
}

/** How the query says to read a table. Throws `ImportMisuse`. */
export function tableOptionsIn(
  query: URLSearchParams,
  fields: readonly Field[],
  attributes: string | null = null,
) {
  return {
    mapping: mappingOf(query.get('map'), fields, attributes),
    notation: notationOf((part) => query.get(part)),
  }
}

/** A preview in whose sentences options are parameters. */
export function inParameters(preview: Preview): Preview {
  const { notes, problem } = preview
  return {
    ...preview,
    notes: notes.map(withoutDashes),
    problem: problem === null ? null : withoutDashes(problem),
  }
}

/** Runs an import of the body. What does not fit the file is a 400. */
export async function importUpload<Result>(
  { query, file, signal }: Call,
  work: (source: Source) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(openUpload(query.get('file') ?? 'file', file, signal))
  } catch (error) {
    if (!(error instanceof ImportMisuse)) throw error
    throw new Refused(400, 'invalid', withoutDashes(error.message), { field: 'file' })
  }
}

/** Options of the command line are parameters here. */
function withoutDashes(message: string): string {
  return message.replaceAll(/--([a-z]+(?:-[a-z]+)*)/g, (_, name: string) =>
    name.replaceAll('-', '_'),
  )
}

export function progressOf({ file, onProgress }: Call, source: Source): (rows: number) => void {
  return (rows) => onProgress({ rows, bytes: source.bytesRead(), size: file.length })
}
