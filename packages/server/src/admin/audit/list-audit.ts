import { formatInstant } from '../../domain/time/time.ts'
import { type IntegerSchema, integerIn } from '../body.ts'
import { type AdminOperation, READ } from '../operation.ts'

const ID: IntegerSchema = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
const LIMIT: IntegerSchema = { type: 'integer', minimum: 1, maximum: 500, default: 50 }

export const AUDIT_OPERATIONS: AdminOperation[] = [
  {
    id: 'listAudit',
    method: 'GET',
    path: '/audit',
    scopes: READ,
    tag: 'Audit log',
    summary: 'Who changed what, and when',
    query: {
      organization: { schema: ID, description: 'Entries of this organization only.' },
      before: { schema: ID, description: 'Older than this entry: `next`.' },
      limit: { schema: LIMIT, description: 'How many entries.' },
    },
    status: 200,
    answers: 'audit',
    async run({ api, caller, query }) {
      const limit = integerIn(query, 'limit', LIMIT)
      const asked = integerIn(query, 'organization', ID) || null
      const before = integerIn(query, 'before', ID) || null
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
