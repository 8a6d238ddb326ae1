import { SAVED_MAPPINGS, savedMappingDocument } from '../../operator/imports.ts'
import { notFound } from '../../operator/refused.ts'
import { operations } from '../operation.ts'
import { organizationOf } from './organizations.ts'

const ALL = '/organizations/{organization}/import/mappings'

export const SAVED_MAPPING_OPERATIONS = operations('Organizations', [
  {
    id: 'listSavedMappings',
    method: 'GET',
    path: ALL,
    summary: 'The choices with which CSV files were imported, by the headings of the files',
    answers: SAVED_MAPPINGS,
    async run(call) {
      const { id } = await organizationOf(call)
      return { items: (await call.store.savedMappings.list(id)).map(savedMappingDocument) }
    },
  },
  {
    id: 'deleteSavedMapping',
    method: 'DELETE',
    path: `${ALL}/{mapping}`,
    summary: 'Forget the choices for files with the same headings',
    async run({ store, params }) {
      const isDeleted = await store.savedMappings.delete(params.organization!, params.mapping!)
      if (!isDeleted) throw notFound('mapping')
    },
  },
])
