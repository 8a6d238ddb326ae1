import { API_KEY, newSecret } from '../access/secret.ts'
import type { Clock } from '../domain/clock.ts'
import type { Store } from '../store/store.ts'

const NAME = 'demo'

/**
 * A key to the demo fleet. Keys are kept nowhere, so each start issues its own and ends those of
 * earlier starts.
 */
export async function issueDemoKey(
  store: Store,
  organization: number,
  clock: Clock,
): Promise<string> {
  const now = clock.now()
  for (const key of await store.keys.list(organization)) {
    if (key.name === NAME && key.revokedAt === null) {
      await store.keys.revoke(organization, key.id, now)
    }
  }
  const { secret, ...kept } = newSecret(API_KEY)
  await store.keys.issue(organization, { ...kept, name: NAME, expiresAt: null }, now)
  return secret
}
