import { CATALOGUE_FORMATS, catalogueFormats, formatOfType } from '../../domain/import-formats.ts'
import { parseMapping } from '../../import/formats/columns.ts'
import { formatOf } from '../../import/formats/format.ts'
import {
  CATALOGUE_FIELDS,
  CATALOGUE_KINDS,
  type CatalogueKindName,
  importCatalogue,
} from '../../import/import-catalogue.ts'
import { ImportMisuse } from '../../import/row.ts'
import type { Source } from '../../import/source.ts'
import type { ImportSummary } from '../../import/summary.ts'
import { IMPORT_SUMMARY } from '../../operator/imports.ts'
import { Refused } from '../../operator/refused.ts'
import type { Call } from '../admin-api.ts'
import { type AdminOperation, operations } from '../operation.ts'
import { openUpload } from '../upload.ts'
import { organizationOf } from './organizations.ts'

export const FILE_QUERY: NonNullable<AdminOperation['query']> = {
  file: {
    schema: { type: 'string' },
    description: 'Its name: its ending gives the format, unless the type of the body does.',
  },
  map: {
    schema: { type: 'string' },
    description: 'The columns of fields whose names it does not know: `field=column,…`.',
  },
}

export const CATALOGUE_IMPORTS = CATALOGUE_KINDS.flatMap((kind) =>
  operations(kind === 'objects' ? 'Objects' : 'Places', [
    {
      id: `import${kind[0]!.toUpperCase()}${kind.slice(1)}`,
      method: 'POST',
      path: `/organizations/{organization}/import/${kind}`,
      summary: `Import ${kind} from a file: CSV, NDJSON${kind === 'objects' ? '' : ' or GeoJSON'}`,
      query: FILE_QUERY,
      takes: 'file',
      status: 200,
      answers: IMPORT_SUMMARY,
      run: (call) => importUpload(call, (source) => importKind(kind, call, source)),
    },
  ]),
)

async function importKind(
  kind: CatalogueKindName,
  call: Call,
  source: Source,
): Promise<ImportSummary> {
  const { store, caller, query, contentType, api, signal } = call
  const organization = await organizationOf(call)
  const asked = query.get('map')
  const mapping = asked === null ? new Map() : parseMapping(asked, CATALOGUE_FIELDS[kind])
  const format =
    formatOfType(CATALOGUE_FORMATS, contentType) ?? formatOf(source.name, catalogueFormats(kind))
  // A token for one organization must neither learn nor shift the ids of others.
  const keepsIds = caller!.credential.scope === 'all'
  const options = { format, mapping, distanceUnit: null, keepsIds, clock: api.clock, signal }
  return importCatalogue(store, organization, kind, source, options, progressOf(call, source))
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
export function withoutDashes(message: string): string {
  return message
    .replaceAll(/--(map|format|ident)\b/g, '$1')
    .replaceAll('--create-objects', 'create_objects')
}

export function progressOf({ file, onProgress }: Call, source: Source): (rows: number) => void {
  return (rows) => onProgress({ rows, bytes: source.bytesRead(), size: file.length })
}
