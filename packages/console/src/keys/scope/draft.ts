import type { Credential } from '../../api/types.ts'
import { t } from '../../language/text.ts'

/** The part of an organization that a key opens. A null field limits nothing. */
export type Scope = NonNullable<Credential['scope']>

/** A scope while it is edited. Its fields are kept while the key is not limited. */
export type ScopeDraft = Limits & { isLimited: boolean }

type Limits = { [Field in keyof Required<Scope>]: Required<Scope>[Field] | null }

const ALL: Limits = {
  operations: null,
  objects: null,
  data_from: null,
  data_until: null,
  attributes: null,
  grants: null,
  window_share: null,
}

export function draftOf(scope: Scope | null): ScopeDraft {
  return { ...ALL, ...scope, isLimited: scope !== null }
}

/** A draft that is to be limited. It begins with the choice of vehicles. */
export function limited(draft: ScopeDraft): ScopeDraft {
  const isEmpty = Object.entries(ALL).every(([name, all]) => draft[name as keyof Scope] === all)
  return { ...draft, isLimited: true, ...(isEmpty && { objects: [] }) }
}

/** Null: the key opens everything. */
export function scopeIn({ isLimited, grants, ...scope }: ScopeDraft): Scope | null {
  if (!isLimited) return null
  if (grants === null) return scope
  return { operations: scope.operations, grants, window_share: scope.window_share }
}

export type ScopeFaults = { operations?: string; objects?: string; attributes?: string }

/** The choices that are missing. A key that is to be limited must not open everything by mistake. */
export function faultsOf({ isLimited, ...scope }: ScopeDraft): ScopeFaults {
  if (!isLimited) return {}
  const isAll = Object.values(scope).every((limit) => limit === null)
  return {
    ...(isAll && { operations: t('Nothing is limited yet. Set at least one limit.') }),
    ...(scope.operations?.length === 0 && { operations: t('Choose at least one.') }),
    ...(scope.objects?.length === 0 && { objects: t('Choose at least one.') }),
    ...(scope.attributes?.length === 0 && { attributes: t('Choose at least one.') }),
  }
}

export function isComplete(draft: ScopeDraft): boolean {
  return Object.keys(faultsOf(draft)).length === 0
}
