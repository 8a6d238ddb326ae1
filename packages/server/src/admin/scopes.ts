import type { TokenScope } from '../domain/operator.ts'
import type { Caller } from './admin-api.ts'
import type { AdminOperation } from './operation.ts'
import { notFound, Refused } from './refused.ts'
import type { AdminRoute } from './route.ts'

const READ: readonly TokenScope[] = ['read', 'organization', 'all']
const READ_ALL: readonly TokenScope[] = ['read', 'all']
const MANAGE: readonly TokenScope[] = ['organization', 'all']
const ALL: readonly TokenScope[] = ['all']

/**
 * The token scopes that may use each operation that is not open. A session has the scope `all`. The scope
 * `organization` reaches only the paths of its own organization, and other operations show it nothing
 * else.
 */
export const SCOPES: Readonly<Record<string, readonly TokenScope[]>> = {
  'DELETE /session': ALL,
  'PUT /password': ALL,
  'GET /tokens': READ,
  'POST /tokens': MANAGE,
  'DELETE /tokens/{token}': MANAGE,
  'GET /server': READ_ALL,
  'GET /audit': READ,
  'GET /organizations': READ,
  'POST /organizations': ALL,
  'GET /organizations/{organization}': READ,
  'PATCH /organizations/{organization}': MANAGE,
  'DELETE /organizations/{organization}': MANAGE,
  'GET /organizations/{organization}/keys': READ,
  'POST /organizations/{organization}/keys': MANAGE,
  'POST /organizations/{organization}/keys/{credential}/rotate': MANAGE,
  'POST /organizations/{organization}/keys/{credential}/revoke': MANAGE,
  'GET /organizations/{organization}/feed-tokens': READ,
  'POST /organizations/{organization}/feed-tokens': MANAGE,
  'POST /organizations/{organization}/feed-tokens/{credential}/rotate': MANAGE,
  'POST /organizations/{organization}/feed-tokens/{credential}/revoke': MANAGE,
  'GET /organizations/{organization}/usage': READ,
  'GET /organizations/{organization}/quota': READ,
  'GET /organizations/{organization}/objects': READ,
  'POST /organizations/{organization}/objects': MANAGE,
  'GET /organizations/{organization}/objects/{object}': READ,
  'PATCH /organizations/{organization}/objects/{object}': MANAGE,
  'DELETE /organizations/{organization}/objects/{object}': MANAGE,
  'GET /organizations/{organization}/objects/{object}/rejects': READ,
  'POST /organizations/{organization}/objects/{object}/recompute': MANAGE,
  'GET /organizations/{organization}/refused-idents': READ,
  'GET /organizations/{organization}/objects/{object}/track': READ,
  'POST /organizations/{organization}/objects/{object}/preview': MANAGE,
  'GET /organizations/{organization}/live': READ,
  'GET /organizations/{organization}/geofences': READ,
  'POST /organizations/{organization}/geofences': MANAGE,
  'GET /organizations/{organization}/geofences.geojson': READ,
  'GET /organizations/{organization}/geofences/{place}': READ,
  'PATCH /organizations/{organization}/geofences/{place}': MANAGE,
  'DELETE /organizations/{organization}/geofences/{place}': MANAGE,
  'GET /organizations/{organization}/routes': READ,
  'POST /organizations/{organization}/routes': MANAGE,
  'GET /organizations/{organization}/routes.geojson': READ,
  'GET /organizations/{organization}/routes/{place}': READ,
  'PATCH /organizations/{organization}/routes/{place}': MANAGE,
  'DELETE /organizations/{organization}/routes/{place}': MANAGE,
  'GET /organizations/{organization}/sites': READ,
  'POST /organizations/{organization}/sites': MANAGE,
  'GET /organizations/{organization}/sites.geojson': READ,
  'GET /organizations/{organization}/sites/{place}': READ,
  'PATCH /organizations/{organization}/sites/{place}': MANAGE,
  'DELETE /organizations/{organization}/sites/{place}': MANAGE,
  'POST /organizations/{organization}/import/objects': MANAGE,
  'POST /organizations/{organization}/import/geofences': MANAGE,
  'POST /organizations/{organization}/import/routes': MANAGE,
  'POST /organizations/{organization}/import/sites': MANAGE,
}

/** Throws if the table above lacks an operation. */
export function scopesOf({ method, path }: AdminOperation): readonly TokenScope[] {
  const scopes = SCOPES[`${method} ${path}`]
  if (scopes === undefined) throw new Error(`no scopes are given for ${method} ${path}`)
  return scopes
}

/**
 * Throws `Refused` if the caller's scope does not reach a route: 403, or 404 for any organization but the
 * caller's own, whether it exists or not.
 */
export function requireScope({ credential }: Caller, { operation, params }: AdminRoute): void {
  const { scope, organization: own } = credential
  const scopes = scopesOf(operation)
  if (!scopes.includes(scope)) {
    throw new Refused(
      403,
      'beyond_scope',
      `a token with the scope ${scope} may not do this; use one with the scope ${scopes.join(' or ')}`,
    )
  }
  const { organization } = params
  if (own !== null && organization !== undefined && organization !== own) {
    throw notFound('organization')
  }
}
