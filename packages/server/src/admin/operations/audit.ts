import type { AuditEntry } from '../../domain/audit.ts'
import { type IntegerSchema, integerIn } from '../../operator/input.ts'
import * as doc from '../../operator/schema.ts'
import { inBothPlaces, placeOf } from '../access/two-places.ts'
import { organizationOf } from './organizations.ts'

const ID: IntegerSchema = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
const LIMIT: IntegerSchema = { type: 'integer', minimum: 1, maximum: 500, default: 50 }

const AUDIT = doc.record(
  {
    items: doc.list(
      doc.record(
        {
          id: doc.integer('Id of the entry.'),
          at: doc.instant('When it happened.'),
          actor: doc.text(
            'The actor: `person <id> <name> <address>`, `token <id> <name>`, `command line, user <name>`, or `console` for somebody who has not signed in.',
          ),
          action: doc.text('The action and its target, such as `organization.update`.'),
          organization: doc.integerOrNull('The organization of the target. Null: the deployment.'),
          target: doc.integerOrNull('Id of the target.'),
          name: doc.textOrNull('The name of the target at that time.'),
          changes: doc.orNull<NonNullable<AuditEntry['changes']>>(
            'object',
            'By the name of a setting, what it was (`from`) and what it became (`to`).',
          ),
        },
        'A change.',
      ),
    ),
    next: doc.integerOrNull('The `before` of the next page. Null: there is none.'),
  },
  'The recorded changes with actor and time, the newest first.',
  'Audit',
)

export const AUDIT_OPERATIONS = inBothPlaces('Audit log', [
  {
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
    async run(call) {
      const { api, query } = call
      const limit = integerIn(query, 'limit', LIMIT)
      const before = integerIn(query, 'before', ID) || null
      const { organization } = placeOf(call)
      const found = await api.store.audit.list({ organization, before, limit: limit + 1 })
      if (found.length === 0 && organization !== null) await organizationOf(call)
      const items = found.slice(0, limit)
      return AUDIT.write({ items, next: found.length > limit ? items.at(-1)!.id : null })
    },
  },
])
