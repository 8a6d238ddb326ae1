import type { Command } from 'commander'
import type { KeyScope } from '../../../domain/key-scope.ts'
import { breach, type Rule } from '../../../domain/settings/rule.ts'
import {
  SCOPE_RULES,
  type ScopeSettings,
  scopeDocument,
} from '../../../domain/settings/scope-settings.ts'
import { scopeOf } from '../../../operator/credentials.ts'
import type { Store } from '../../../store/store.ts'
import { option } from '../../command.ts'
import { UsageError } from '../../failure.ts'
import type { OwnerOptions } from '../owner.ts'

/** Clears a part of a scope. */
const ALL = 'all'

export type ScopeOptions = OwnerOptions & {
  operations?: string
  objects?: string
  dataFrom?: string
  dataUntil?: string
  windowShare?: string
}

export function addScopeOptions(to: Command): Command {
  const says = (rule: Rule, prefix = '') => rule.says.replace(prefix, '')
  return to
    .addOption(
      option(
        '--operations <list>',
        `operations that it opens, with commas: ${says(SCOPE_RULES.operations, 'a list of ')}, or ${ALL}`,
      ),
    )
    .addOption(option('--objects <list>', `ids of objects that it opens, with commas, or ${ALL}`))
    .addOption(
      option(
        '--data-from <when>',
        `the first time that it shows: ${says(SCOPE_RULES.dataFrom)}, or ${ALL}`,
      ),
    )
    .addOption(
      option(
        '--data-until <when>',
        `the last time that it shows: ${says(SCOPE_RULES.dataUntil)}, or ${ALL}`,
      ),
    )
    .addOption(
      option(
        '--window-share <requests>',
        `how many of the 10 requests of a window it may use: ${says(SCOPE_RULES.windowShare)}, or ${ALL}`,
      ),
    )
}

/** Null if none of the options is given. */
export function givenIn(options: ScopeOptions): Partial<ScopeSettings> | null {
  const { operations, objects, dataFrom, dataUntil, windowShare } = options
  const words = (text: string) => text.split(',').map((word) => word.trim())
  const given = {
    ...settingIn('operations', operations, words),
    ...settingIn('objects', objects, (text) => words(text).map(Number)),
    ...settingIn('dataFrom', dataFrom, String),
    ...settingIn('dataUntil', dataUntil, String),
    ...settingIn('windowShare', windowShare, Number),
  }
  return Object.keys(given).length === 0 ? null : given
}

function settingIn(
  setting: keyof ScopeSettings,
  written: string | undefined,
  read: (text: string) => unknown,
): Partial<ScopeSettings> {
  if (written === undefined) return {}
  const value = written === ALL || written === '' ? null : read(written)
  const rule = SCOPE_RULES[setting]
  if (rule.holds(value)) return { [setting]: value }
  const name = setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw new UsageError(`--${name} ${breach(rule, value)}`)
}

/** The scope that the options make of another one. Undefined: none of them is given. */
export async function scopeIn(
  store: Store,
  options: ScopeOptions,
  before: KeyScope | null,
): Promise<KeyScope | null | undefined> {
  const given = givenIn(options)
  if (given === null) return undefined
  const known = given.objects === undefined ? (before?.objects ?? []) : []
  return scopeOf(store, options.org, { ...settingsOf(before), ...given }, known)
}

function settingsOf(scope: KeyScope | null): Partial<ScopeSettings> {
  const document = scopeDocument(scope)
  if (document === null) return {}
  const { operations, objects, data_from: dataFrom, data_until: dataUntil } = document
  return { operations, objects, dataFrom, dataUntil, windowShare: document.window_share }
}

/** A scope in a table. Null: everything. */
export function scopeText(scope: ReturnType<typeof scopeDocument>): string | null {
  if (scope === null) return null
  return Object.entries(scope)
    .filter(([, limit]) => limit !== null)
    .map(([name, limit]) => `${name}=${limit}`)
    .join(' ')
}
