import { described, ID, optional, wholeNumber } from '../../base/domain/setting-rule.ts'
import { organizationOf } from '../act.ts'
import { queryInput } from '../query.ts'
import { inBothPlaces, placeOf } from '../two-places.ts'
import { AUDIT, auditPage, MAX_AUDIT_LIMIT } from './entry.ts'

const PAGE = queryInput<{ before: number | null; limit: number }>(
  {
    before: described(optional(ID), {
      description: 'Only entries before this one: the `next` of the previous page.',
      placeholder: 'id',
    }),
    limit: described(wholeNumber(1, MAX_AUDIT_LIMIT), {
      description: 'How many entries.',
      placeholder: 'entries',
    }),
  },
  { limit: 50 },
)

export const AUDIT_ACTS = inBothPlaces('Audit log', {
  list: {
    verb: 'list',
    noun: 'Audit',
    method: 'GET',
    path: '/audit',
    outlives: true,
    summary: 'Who changed what, and when',
    query: PAGE,
    answers: AUDIT,
    async run(call) {
      const { organization } = placeOf(call)
      const page = await auditPage(call.store, { organization, ...PAGE.in(call.query) })
      if (page.items.length === 0 && organization !== null) await organizationOf(call)
      return page
    },
  },
})
