import { formatInstant } from '../domain/time.ts'
import { integerIn } from './body.ts'
import type { AdminOperation } from './operation.ts'

const MAX = Number.MAX_SAFE_INTEGER

export const AUDIT_OPERATIONS: AdminOperation[] = [
  {
    id: 'listAudit',
    method: 'GET',
    path: '/audit',
    tag: 'Audit log',
    summary: 'Who changed what, and when',
    query: {
      organization: { schema: { type: 'integer' }, description: 'Of this organization alone.' },
      before: { schema: { type: 'integer' }, description: 'Older than this entry: `next`.' },
      limit: {
        schema: { type: 'integer', minimum: 1, maximum: 500, default: 50 },
        description: 'How many entries.',
      },
    },
    status: 200,
    answers: 'audit',
    async run({ api, caller, query }) {
      const limit = integerIn(query, 'limit', 50, 1, 500)
      const asked = integerIn(query, 'organization', 0, 1, MAX) || null
      const before = integerIn(query, 'before', 0, 1, MAX) || null
      const { organization: only } = caller!.credential
      const organization = asked ?? only
      if (only !== null && organization !== only) return { items: [], next: null }
      const found = await api.store.audit.list({ organization, before, limit: limit + 1 })
      const items = found.slice(0, limit)
      return {
        items: items.map(({ at, ...entry }) => ({
          id: entry.id,
          at: formatInstant(at),
          actor: entry.actor,
          action: entry.action,
          organization: entry.organization,
          target: entry.target,
          name: entry.name,
          changes: entry.changes,
        })),
        next: found.length > limit ? items.at(-1)!.id : null,
      }
    },
  },
]
