import { API_KEY, FEED_TOKEN, newSecret, type SecretKind } from '../access/secret.ts'
import type { Clock } from '../domain/clock.ts'
import type { KeyStore, Store } from '../store/store.ts'

const NAME = 'demo'

/** The secrets of the demo fleet: a key to read it, and a token for its feed. */
export type DemoAccess = { key: string; feedToken: string }

/** Secrets are never stored, so each start issues new ones and ends those of earlier starts. */
export async function issueDemoAccess(
  store: Store,
  organization: number,
  clock: Clock,
): Promise<DemoAccess> {
  const now = clock.now()
  return {
    key: await replace(store.keys, API_KEY, organization, now),
    feedToken: await replace(store.feedTokens, FEED_TOKEN, organization, now),
  }
}

async function replace(
  store: KeyStore,
  kind: SecretKind,
  organization: number,
  now: number,
): Promise<string> {
  for (const key of await store.list(organization)) {
    if (key.name === NAME && key.revokedAt === null) await store.revoke(organization, key.id, now)
  }
  const { secret, ...kept } = newSecret(kind)
  await store.issue(organization, { ...kept, name: NAME, expiresAt: null }, now)
  return secret
}
