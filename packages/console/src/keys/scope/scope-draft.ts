import type { Credential } from '../../api/types.ts'
import { type Grant, isGrantComplete, isUnlimited, NONE_CHOSEN } from '../../grants/grant.ts'
import { t } from '../../language/text.ts'

/** The part of an organization that a key opens. A null field limits nothing. */
export type Scope = NonNullable<Credential['scope']>

type Limits = Pick<Scope, 'operations' | 'window_share'> & { grants: Grant[] }

/** A scope while it is edited. Its fields are kept while the key is not limited. */
export type ScopeDraft = Limits & { isLimited: boolean }

/** The grants of a scope, which has the fields of an only one itself. */
export function grantsOf(scope: Scope | null): Grant[] {
  if (scope?.grants != null) return scope.grants
  const { objects = null, data_from: from = null, data_until: until = null } = scope ?? {}
  return [{ objects, from, until, attributes: scope?.attributes ?? null }]
}

export function draftOf(scope: Scope | null): ScopeDraft {
  const { operations = null, window_share = null } = scope ?? {}
  return { operations, window_share, grants: grantsOf(scope), isLimited: scope !== null }
}

/** A draft that is to be limited. It begins with the choice of vehicles. */
export function limited(draft: ScopeDraft): ScopeDraft {
  const begun = isOpen(draft) ? { grants: [NONE_CHOSEN] } : {}
  return { ...draft, isLimited: true, ...begun }
}

/** Null: the key opens everything. */
export function scopeIn({ isLimited, ...limits }: ScopeDraft): Limits | null {
  return isLimited ? limits : null
}

/** The choices of operations that are missing. A key that is to be limited must not open everything by mistake. */
export function operationsFault(draft: ScopeDraft): string | undefined {
  if (!draft.isLimited) return undefined
  if (isOpen(draft)) return t('Nothing is limited yet. Set at least one limit.')
  return draft.operations?.length === 0 ? t('Choose at least one.') : undefined
}

export function isComplete(draft: ScopeDraft): boolean {
  if (!draft.isLimited) return true
  return operationsFault(draft) === undefined && draft.grants.every(isGrantComplete)
}

function isOpen({ operations, window_share, grants }: Limits): boolean {
  return operations === null && window_share === null && grants.some(isUnlimited)
}
