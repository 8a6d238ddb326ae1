import { isOperator } from '../../domain/account.ts'
import type { Credential } from '../../domain/credential.ts'
import type { KeyScope } from '../../domain/key-scope.ts'
import {
  CREDENTIAL,
  credentialDocument,
  KEY_PATCH,
  refuseLackingGrant,
} from '../../operator/credentials.ts'
import { conflict, invalid, notFound, operatorsOnly } from '../../operator/refused.ts'
import { ADMINISTRATORS } from '../../operator/who.ts'
import type { Call, Caller } from '../admin-api.ts'
import { operations } from '../operation.ts'
import { credentialOf, scopeIn } from './credentials.ts'
import { organizationOf } from './organizations.ts'

export const KEY_SCOPE_OPERATIONS = operations('API keys', [
  {
    id: 'updateKey',
    method: 'PATCH',
    path: '/organizations/{organization}/keys/{credential}',
    who: ADMINISTRATORS,
    summary:
      'Change the scope, the recipient or the purpose of an API key; it applies from the next request',
    takes: KEY_PATCH,
    answers: CREDENTIAL,
    async run(call) {
      const { api, store, params, body, now } = call
      const given = KEY_PATCH.in(body)
      const owner = await organizationOf(call)
      const before = await credentialOf(call, api.store.keys, 'API key')
      if (Object.keys(body).length === 0) {
        throw invalid({ field: 'scope', rule: 'is missing, as are recipient and purpose' })
      }
      refuseLackingGrant(owner, before, given)
      const scope = body.scope === undefined ? {} : { scope: await newScopeIn(call, before) }
      const patch = { ...given, ...scope }
      const after = await store.keys.update(params.organization!, before.id, patch, now)
      if (after === null) throw notFound('API key')
      return credentialDocument(owner, after)
    },
  },
])

async function newScopeIn(call: Call, { scope, scenario }: Credential): Promise<KeyScope | null> {
  if (scenario !== null) throw conflict('a test key has no scope')
  const after = await scopeIn(call, scope)
  refuseLargerShare(call.caller!, scope, after)
  return after
}

/** Throws `Refused` if somebody of the organization would raise the share of the window that a key was given. */
function refuseLargerShare(
  { roles }: Caller,
  before: KeyScope | null,
  after: KeyScope | null,
): void {
  if (isOperator(roles)) return
  const share = (scope: KeyScope | null) => scope?.windowShare ?? Number.POSITIVE_INFINITY
  if (share(after) > share(before)) {
    throw operatorsOnly('window_share', 'limits the key, so only the operator raises it')
  }
}
