import type { KeyScope } from '../../domain/key-scope.ts'
import { CREDENTIAL, KEY_PATCH } from '../../operator/credentials.ts'
import { conflict, invalid, notFound, operatorsOnly } from '../../operator/refused.ts'
import type { Caller } from '../admin-api.ts'
import { operations } from '../operation.ts'
import { scopeIn } from '../scope-in-body.ts'
import { credentialDocument, credentialOf } from './credentials.ts'

export const KEY_SCOPE_OPERATIONS = operations('API keys', [
  {
    id: 'updateKey',
    method: 'PATCH',
    path: '/organizations/{organization}/keys/{credential}',
    summary: 'Change the scope of an API key; it applies from the next request',
    takes: KEY_PATCH,
    answers: CREDENTIAL,
    async run(call) {
      const { api, store, caller, params, body } = call
      KEY_PATCH.in(body)
      const before = await credentialOf(call, api.store.keys, 'API key')
      if (body.scope === undefined) {
        throw invalid({ field: 'scope', rule: 'is missing; it must be an object, or null' })
      }
      if (before.scenario !== null) throw conflict('a test key has no scope')
      const scope = await scopeIn(call, before.scope)
      refuseLargerShare(caller!, before.scope, scope)
      const after = await store.keys.setScope(params.organization!, before.id, scope)
      if (after === null) throw notFound('API key')
      return credentialDocument(after)
    },
  },
])

/** Throws `Refused` if a token of the organization would raise the share of the window that a key was given. */
function refuseLargerShare(
  { credential }: Caller,
  before: KeyScope | null,
  after: KeyScope | null,
): void {
  if (credential.organization === null) return
  const share = (scope: KeyScope | null) => scope?.windowShare ?? Number.POSITIVE_INFINITY
  if (share(after) > share(before)) {
    throw operatorsOnly('window_share', 'limits the key, so only the operator raises it')
  }
}
