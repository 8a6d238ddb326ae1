import type { AuditEntry } from '../../domain/audit.ts'
import { type IntegerSchema, integerIn } from '../../operator/input.ts'
import * as doc from '../../operator/schema.ts'
import { operations } from '../operation.ts'

const ID: IntegerSchema = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
const LIMIT: IntegerSchema = { type: 'integer', minimum: 1, maximum: 500, default: 50 }

const AUDIT = doc.record(
  {
    items: doc.list(
      doc.record(
        {
          id: doc.integer('Id of the entry.'),
          at: doc.instant('When.'),
          actor: doc.text(
            'The actor: `console`, `token <id> <name>`, or `command line, user <name>`.',
          ),
          action: doc.text('The action and its target, such as `organization.update`.'),
          organization: doc.integerOrNull('The organization of the target. Null: the deployment.'),
          target: doc.integerOrNull('Id of what it was done to.'),
          name: doc.textOrNull('The name of the target at that time.'),
          changes: doc.orNull<NonNullable<AuditEntry['changes']>>(
            'object',
            'By the name of a setting, what it was (`from`) and what it became (`to`).',
          ),
        },
        'A change.',
      ),
    ),
    next: doc.integerOrNull('To be given as `before` for the next page. Null: there is none.'),
  },
  'The recorded changes with actor and time, the newest first.',
  'Audit',
)

export const AUDIT_OPERATIONS = operations('Audit log', [
  {
    id: 'listAudit',
    method: 'GET',
    path: '/audit',
    summary: 'Who changed what, and when',
    query: {
      organization: { schema: ID, description: 'Entries of this organization only.' },
      before: { schema: ID, description: 'Older than this entry: `next`.' },
      limit: { schema: LIMIT, description: 'How many entries.' },
    },
    answers: AUDIT,
    async run({ api, caller, query }) {
      const limit = integerIn(query, 'limit', LIMIT)
      const asked = integerIn(query, 'organization', ID) || null
      const before = integerIn(query, 'before', ID) || null
      const { organization: only } = caller!.credential
      const organization = asked ?? only
      if (only !== null && organization !== only) return { items: [], next: null }
      const found = await api.store.audit.list({ organization, before, limit: limit + 1 })
      const items = found.slice(0, limit)
      return AUDIT.write({ items, next: found.length > limit ? items.at(-1)!.id : null })
    },
  },
])
