import { parseMapping } from '../import/columns.ts'
import { formatOf } from '../import/format.ts'
import {
  CATALOGUE_FIELDS,
  CATALOGUE_FORMATS,
  CATALOGUE_KINDS,
  type CatalogueFormat,
  type CatalogueKindName,
  importCatalogue,
} from '../import/import-catalogue.ts'
import { ImportMisuse } from '../import/misuse.ts'
import type { AdminOperation } from './operation.ts'
import { organizationOf } from './organizations.ts'
import { Refused } from './refused.ts'
import { openUpload } from './upload.ts'

export const IMPORT_OPERATIONS: AdminOperation[] = CATALOGUE_KINDS.map(operationOf)

const TYPES = new Map<string, CatalogueFormat>([
  ['text/csv', 'csv'],
  ['application/x-ndjson', 'ndjson'],
  ['application/geo+json', 'geojson'],
])

function operationOf(kind: CatalogueKindName): AdminOperation {
  return {
    id: `import${kind[0]!.toUpperCase()}${kind.slice(1)}`,
    method: 'POST',
    path: `/organizations/{organization}/import/${kind}`,
    tag: kind === 'objects' ? 'Objects' : 'Places',
    summary: `Import ${kind} from a file: CSV, NDJSON${kind === 'objects' ? '' : ' or GeoJSON'}`,
    query: {
      file: {
        schema: { type: 'string' },
        description:
          'Its name: by its ending the format is known, unless the type of the body tells.',
      },
      map: {
        schema: { type: 'string' },
        description: 'The columns of fields whose names it does not know: `field=column,…`.',
      },
    },
    takes: 'file',
    status: 200,
    answers: 'importSummary',
    async run(call) {
      const { store, caller, query, file, contentType, api } = call
      const organization = await organizationOf(call)
      const name = query.get('file') ?? 'file'
      const signal = new AbortController().signal
      const source = openUpload(name, file)
      try {
        const asked = query.get('map')
        const mapping = asked === null ? new Map() : parseMapping(asked, CATALOGUE_FIELDS[kind])
        const format = TYPES.get(contentType) ?? formatOf(name, CATALOGUE_FORMATS)
        // A token for one organization must neither learn nor shift the ids of others.
        const keepsIds = caller!.credential.scope === 'all'
        const { clock } = api
        const options = { format, mapping, distanceUnit: null, keepsIds, clock, signal }
        return await importCatalogue(store, organization, kind, source, options, () => {})
      } catch (error) {
        if (!(error instanceof ImportMisuse)) throw error
        // Options of the command line are parameters here.
        const message = error.message.replaceAll(/--(map|format)\b/g, '$1')
        throw new Refused(400, 'invalid', message, { field: 'file' })
      }
    },
  }
}
