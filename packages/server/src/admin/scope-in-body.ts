import type { KeyScope } from '../domain/key-scope.ts'
import { limitedOrNull, readScope } from '../domain/settings/scope-settings.ts'
import { GIVEN_SCOPE } from '../operator/credentials.ts'
import { refuse } from '../operator/input.ts'
import { invalid } from '../operator/refused.ts'
import { foreignIds } from '../store/foreign-ids.ts'
import type { Call } from './admin-api.ts'

/** The scope in a body. Null: the key opens everything. Throws `Refused`. */
export async function scopeIn({ body, store, params }: Call, before: KeyScope | null = null) {
  const { scope: written = null } = body
  if (written === null) return null
  if (typeof written !== 'object' || Array.isArray(written)) {
    throw invalid({ field: 'scope', rule: 'must be an object, or null' })
  }
  const scope = readScope(GIVEN_SCOPE.in(written as Record<string, unknown>))
  if ('rule' in scope) throw invalid(scope)
  // An object may have been deleted since it was chosen.
  const chosen = scope.objects?.filter((id) => !before?.objects?.includes(id))
  refuse(await foreignIds(store, params.organization!, 'objects', chosen))
  return limitedOrNull(scope)
}
