import { isDeepStrictEqual } from 'node:util'
import type { Account } from '../../base/domain/account.ts'
import type { AuditAction, AuditEntry, NewAuditEntry } from '../../base/domain/audit-entry.ts'
import { documentedName } from '../../base/domain/setting-rule.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import type { AuditQuery, NotedEntry } from '../../engine/store/audit-store.ts'
import type { Store } from '../../engine/store/store.ts'
import * as doc from '../document-schema.ts'

/** Makes the entry of an action: `key.issue`. */
export type EntryOf = (
  action: AuditAction,
  about: Pick<NewAuditEntry, 'organization'> & Partial<NotedEntry>,
) => readonly [NotedEntry]

export function entriesOf(actor: string, clock: Clock): EntryOf {
  return (action, about) => [
    { at: clock.now(), actor, action, target: null, name: null, changes: null, ...about },
  ]
}

export type Changes = NonNullable<AuditEntry['changes']>

/** How to describe settings that are too large to be listed. */
export type Descriptions<Settings> = {
  [Setting in keyof Settings]?: (value: Settings[Setting]) => string
}

/**
 * The changes of an update that named these settings, by documented name. Null if there are none. A
 * setting with fields of its own is listed field by field: `accuracy.maximum_hdop`.
 */
export function changedSettings<Settings extends object>(
  named: readonly string[],
  before: Settings,
  after: Settings,
  reported: Descriptions<Settings> = {},
): Changes | null {
  const changes: Changes = {}
  for (const name of named as (keyof Settings & string)[]) {
    const [from, to] = [before[name], after[name]]
    if (isDeepStrictEqual(from, to)) continue
    const summary = reported[name]
    if (summary !== undefined)
      changes[documentedName(name)] = { from: summary(from), to: summary(to) }
    else if (isRecord(from) && isRecord(to)) {
      const fields = changedSettings([...new Set(Object.keys({ ...from, ...to }))], from, to)
      for (const [field, change] of Object.entries(fields ?? {})) {
        changes[`${documentedName(name)}.${field}`] = change
      }
    } else changes[documentedName(name)] = { from, to }
  }
  return Object.keys(changes).length === 0 ? null : changes
}

/** The changes of something new that has these, by documented name, without what is null or an empty list. */
export function givenSettings(given: Readonly<Record<string, unknown>>): Changes {
  const named = Object.entries(given).filter(([, to]) =>
    Array.isArray(to) ? to.length > 0 : to !== null,
  )
  return Object.fromEntries(named.map(([field, to]) => [field, { to }]))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A person as the audit log names who did something: the id stays, name and address may change. */
export function personActor({ id, name, email }: Pick<Account, 'id' | 'name' | 'email'>): string {
  return `person ${id} ${name} <${email}>`
}

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
