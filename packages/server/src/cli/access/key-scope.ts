import type { Command } from 'commander'

import {
  type KeyScope,
  SCOPE_RULES,
  type ScopeSettings,
  scopeDocument,
} from '../../domain/key-scope.ts'
import { scopeOf } from '../../operator/credentials.ts'
import type { Store } from '../../store/store.ts'
import { addSettingOptions, givenSettings, type OwnerOptions, orAll } from '../options.ts'

export type ScopeOptions = OwnerOptions & Record<string, unknown>

export function addScopeOptions(to: Command): Command {
  return addSettingOptions(to, SCOPE_RULES, [], orAll)
}

/** Null if none of the options is given. */
export function givenIn(options: ScopeOptions): Partial<ScopeSettings> | null {
  const given = givenSettings<ScopeSettings>(SCOPE_RULES, options)
  return Object.keys(given).length === 0 ? null : given
}

/** The scope that the options make of another one. Undefined: none of them is given. */
export async function scopeIn(
  store: Store,
  options: ScopeOptions,
  before: KeyScope | null,
): Promise<KeyScope | null | undefined> {
  const given = givenIn(options)
  if (given === null) return undefined
  return scopeOf(store, options.org, { ...settingsOf(before), ...given }, before)
}

function settingsOf(scope: KeyScope | null): Partial<ScopeSettings> {
  const document = scopeDocument(scope)
  if (document === null) return {}
  const { operations, objects, data_from: dataFrom, data_until: dataUntil } = document
  const { attributes = null, window_share: windowShare } = document
  return { operations, objects, dataFrom, dataUntil, attributes, windowShare }
}

/** A scope in a table. Null: everything. */
export function scopeText(scope: ReturnType<typeof scopeDocument>): string | null {
  if (scope === null) return null
  return Object.entries(scope)
    .filter(([, limit]) => limit !== null)
    .map(([name, limit]) => `${name}=${limit}`)
    .join(' ')
}
