import type { KeyScope } from '../domain/key-scope.ts'
import { GIVEN_SCOPE, scopeOf } from '../operator/credentials.ts'
import { invalid } from '../operator/refused.ts'
import type { Call } from './admin-api.ts'

/** The scope in a body. Null: the key opens everything. Throws `Refused`. */
export async function scopeIn({ body, store, params }: Call, before: KeyScope | null = null) {
  const { scope: written = null } = body
  if (written === null) return null
  if (typeof written !== 'object' || Array.isArray(written)) {
    throw invalid({ field: 'scope', rule: 'must be an object, or null' })
  }
  const settings = GIVEN_SCOPE.in(written as Record<string, unknown>)
  return scopeOf(store, params.organization!, settings, before)
}
