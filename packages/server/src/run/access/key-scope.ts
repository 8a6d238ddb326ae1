import type { scopeDocument } from '../../base/domain/key-scope.ts'

/** A scope in a table. Null: everything. */
export function scopeText(scope: ReturnType<typeof scopeDocument>): string | null {
  if (scope === null) return null
  return Object.entries(scope)
    .filter(([, limit]) => limit !== null)
    .map(([name, limit]) => `${name}=${limit}`)
    .join(' ')
}
