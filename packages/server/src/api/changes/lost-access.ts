import { sightOf } from '../../domain/key-scope.ts'
import type { Call } from '../operation.ts'
import { cursorExpired, type Refusal, subscriptionInactive, unauthorized } from '../refusal.ts'
import { includesPositions, openedTypes, type Reading } from './reading.ts'

/**
 * The refusal for a request that was held while its key or its subscription ended, or its scope changed. Changes that were committed
 * afterwards are not for it.
 */
export async function lostAccess(
  { api, key, organization }: Call,
  reading: Reading,
): Promise<Refusal | undefined> {
  await api.catchUp()
  const found = api.directory.keys.find(key.hash, api.clock.now())
  if (found === undefined) return unauthorized.invalid
  if (sightOf(found.scope) !== sightOf(key.scope)) return cursorExpired
  const current = await api.directory.organization(organization.id)
  if (current === null) return unauthorized.invalid
  const { subscription } = current
  const types = openedTypes(reading.wanted, reading.opened)
  if (subscription === 'active' || !includesPositions(types)) return undefined
  return subscriptionInactive(subscription)
}
