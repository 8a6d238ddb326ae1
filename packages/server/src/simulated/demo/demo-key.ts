import type { KeyObject } from 'node:crypto'
import { API_KEY, derivedSecret, FEED_TOKEN, type SecretKind } from '../../access/secret.ts'
import { stateOf } from '../../domain/credential.ts'
import type { Clock } from '../../domain/time/clock.ts'
import type { KeyStore, Store } from '../../store/store.ts'

const NAME = 'demo'

/** The secrets of the demo fleet: a key to read it, and a token for its feed. */
export type DemoAccess = { key: string; feedToken: string }

/**
 * The key and the token of the demo, the same at each start. Secrets are never stored, so these are derived
 * from the deployment's own. If one was revoked or has expired, a new one is issued.
 */
export async function issueDemoAccess(
  store: Store,
  organization: number,
  clock: Clock,
): Promise<DemoAccess> {
  const deployment = await store.secret()
  const now = clock.now()
  return {
    key: await secretIn(store.keys, API_KEY, organization, deployment, now),
    feedToken: await secretIn(store.feedTokens, FEED_TOKEN, organization, deployment, now),
  }
}

async function secretIn(
  store: KeyStore,
  kind: SecretKind,
  organization: number,
  deployment: KeyObject,
  now: number,
): Promise<string> {
  const issued = (await store.list(organization)).filter(({ name }) => name === NAME)
  const active = new Set(
    issued.filter((key) => stateOf(key, now) === 'active').map(({ hash }) => hash),
  )
  for (let number = 0; number < issued.length; number++) {
    const { secret, hash } = derivedSecret(kind, deployment, `${NAME} ${number}`)
    if (active.has(hash)) return secret
  }
  const { secret, ...kept } = derivedSecret(kind, deployment, `${NAME} ${issued.length}`)
  await store.issue(organization, { ...kept, name: NAME, expiresAt: null }, now)
  return secret
}
