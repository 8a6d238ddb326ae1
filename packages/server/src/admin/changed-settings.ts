import { isDeepStrictEqual } from 'node:util'
import type { AuditEntry } from '../domain/audit.ts'
import { documentedName } from '../domain/rule.ts'

export type Changes = NonNullable<AuditEntry['changes']>

/** How to tell of settings that are too large to be told as they are. */
export type Told<Settings> = { [Setting in keyof Settings]?: (value: Settings[Setting]) => string }

/**
 * What an update that named these settings has changed, by documented name; null where that is nothing.
 * A setting that has fields of its own is told field by field: `accuracy.maximum_hdop`.
 */
export function changedSettings<Settings extends object>(
  named: readonly string[],
  before: Settings,
  after: Settings,
  told: Told<Settings> = {},
): Changes | null {
  const changes: Changes = {}
  for (const name of named as (keyof Settings & string)[]) {
    const [from, to] = [before[name], after[name]]
    if (isDeepStrictEqual(from, to)) continue
    const summary = told[name]
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
