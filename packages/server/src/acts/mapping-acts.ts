import { ADMINISTRATORS, acts, OVERSEERS, organizationOf } from './act.ts'
import {
  MAPPING_PATCH,
  SAVED_MAPPING,
  SAVED_MAPPINGS,
  savedMappingDocument,
} from './import-bodies.ts'
import { existing } from './refused.ts'

const ALL = '/organizations/{organization}/import/mappings'
const ONE = `${ALL}/{mapping}`

export const SAVED_MAPPING_ACTS = acts('Organizations', {
  listSavedMappings: {
    method: 'GET',
    path: ALL,
    who: OVERSEERS,
    summary: 'List the saved mappings of CSV files, by the headings of the files',
    answers: SAVED_MAPPINGS,
    async run(call) {
      const { id } = await organizationOf(call)
      return { items: (await call.store.savedMappings.list(id)).map(savedMappingDocument) }
    },
  },
  renameSavedMapping: {
    method: 'PATCH',
    path: ONE,
    who: ADMINISTRATORS,
    summary: 'Name the choices for files with the same headings',
    takes: MAPPING_PATCH,
    answers: SAVED_MAPPING,
    async run({ store, params, body }) {
      const { name } = MAPPING_PATCH.in(body)
      const { organization, mapping } = params as Record<'organization' | 'mapping', number>
      if (name !== undefined) await store.savedMappings.rename(organization, mapping, name)
      const mappings = await store.savedMappings.list(organization)
      const found = mappings.find(({ id }) => id === mapping)
      return savedMappingDocument(existing(found, 'mapping'))
    },
  },
  deleteSavedMapping: {
    method: 'DELETE',
    path: ONE,
    who: ADMINISTRATORS,
    summary: 'Forget the choices for files with the same headings',
    async run({ store, params }) {
      const { organization, mapping } = params
      existing(await store.savedMappings.delete(organization!, mapping!), 'mapping')
    },
  },
})
