import { organizationOf } from '../../../acts/act.ts'
import { AUDIT, auditPage, MAX_AUDIT_LIMIT } from '../../../acts/audit/entry.ts'
import { type IntegerSchema, integerIn } from '../../../acts/input.ts'
import { inBothPlaces, placeOf } from '../../../acts/two-places.ts'
import type { Call } from '../admin-api.ts'

const ID: IntegerSchema = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
const LIMIT: IntegerSchema = { type: 'integer', minimum: 1, maximum: MAX_AUDIT_LIMIT, default: 50 }

export const AUDIT_ACTS = inBothPlaces('Audit log', {
  list: {
    verb: 'list',
    noun: 'Audit',
    method: 'GET',
    path: '/audit',
    outlives: true,
    summary: 'Who changed what, and when',
    query: {
      before: {
        schema: ID,
        description: 'Only entries before this one: the `next` of the page before.',
      },
      limit: { schema: LIMIT, description: 'How many entries.' },
    },
    answers: AUDIT,
    async run(call: Call) {
      const { api, query } = call
      const limit = integerIn(query, 'limit', LIMIT)
      const before = integerIn(query, 'before', ID) || null
      const { organization } = placeOf(call)
      const page = await auditPage(api.store, { organization, before, limit })
      if (page.items.length === 0 && organization !== null) await organizationOf(call)
      return page
    },
  },
})
