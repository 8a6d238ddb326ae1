import { isDeepStrictEqual } from 'node:util'
import type { Account } from '../../domain/account.ts'
import type { AuditAction, AuditEntry, NewAuditEntry } from '../../domain/audit.ts'
import { documentedName } from '../../domain/setting-rule.ts'
import type { Clock } from '../../domain/time/time.ts'
import type { NotedEntry } from '../../store/audit-store.ts'

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
