import type { AuditEntry } from '../../domain/audit.ts'
import type { AuditQuery } from '../../store/audit-store.ts'
import type { Store } from '../../store/store.ts'
import * as doc from '../schema.ts'

/** Entries of a page. */
export const MAX_AUDIT_LIMIT = 500

export const AUDIT = doc.record(
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

/** A page of the audit log, the newest first. */
export async function auditPage({ audit }: Pick<Store, 'audit'>, query: AuditQuery) {
  const { limit } = query
  const found = await audit.list({ ...query, limit: limit + 1 })
  const items = found.slice(0, limit)
  return AUDIT.write({ items, next: found.length > limit ? items.at(-1)!.id : null })
}
