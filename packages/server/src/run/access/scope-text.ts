import type { scopeDocument } from '../../base/domain/key-scope.ts'
import { grantText } from './grant-option.ts'

/** A scope in a table. Null: everything. */
export function scopeText(scope: ReturnType<typeof scopeDocument>): string | null {
  if (scope === null) return null
  const { grants = [], ...limits } = scope
  return [
    ...Object.entries(limits).flatMap(([name, limit]) =>
      limit === null ? [] : `${name}=${limit}`,
    ),
    ...grants.map((grant) => `grant=${grantText(grant)}`),
  ].join(' ')
}
