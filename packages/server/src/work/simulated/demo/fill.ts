import type { KeyObject } from 'node:crypto'
import { API_KEY, derivedSecret, FEED_TOKEN, type SecretKind } from '../../../base/access/secret.ts'
import { stateOf } from '../../../base/domain/credential.ts'
import { LIST_TOPICS } from '../../../base/domain/item-rules.ts'
import type { FoldRules } from '../../../base/domain/position/fold-state.ts'
import { type Clock, DAY_MS } from '../../../base/domain/time/time.ts'
import type { ItemEntry, ItemStore } from '../../../engine/store/item-store.ts'
import type { KeyStore } from '../../../engine/store/key-store.ts'
import type { Store } from '../../../engine/store/store.ts'
import type { NewFix } from '../../../engine/tracking/fold-tables.ts'
import { SIMULATED_ATTRIBUTES } from '../attributes.ts'
import { demoFleet } from './fleet.ts'
import { aheadOf, drivenFixes, longestDriver } from './replay.ts'

/** How many days of driving a new demo fleet gets. */
const HISTORY_MS = 7 * DAY_MS

/** A fix reaches a server within this time. Younger fixes are still on their way. */
const MAX_DELAY_MS = 3_000

const BATCH = 4_000

/**
 * Fills a store with the demo organization, its catalogue and its positions up to now. Existing data
 * stays, so a second call adds only what was driven since. `onProgress` gets the number of finished
 * vehicles. `until`: the moment up to which they have driven, milliseconds since the epoch. `ahead`: how
 * far their clock is ahead of the system's. `first`: the ident of the vehicle that drives on longest then.
 */
export async function fillDemo(
  store: Store,
  clock: Clock,
  rules: FoldRules,
  onProgress?: (done: number, total: number) => void,
): Promise<{ organization: number; until: number; ahead: number; first: string }> {
  const fleet = demoFleet()
  const now = clock.now()
  const existing = (await store.organizations.list()).find(
    ({ name }) => name === fleet.organization.name,
  )
  const { id, createdAt } = existing ?? (await store.organizations.create(fleet.organization, now))
  await addMissing(store.objects, id, fleet.objects, ({ ident }) => ident, now)
  for (const topic of LIST_TOPICS) {
    const items = store[topic] as ItemStore<Named, Named>
    await addMissing(items, id, fleet[topic], ({ name }) => name, now)
  }
  await store.attributes.change(id, (entries) => [
    ...entries,
    ...SIMULATED_ATTRIBUTES.filter(({ name }) => !entries.some((entry) => entry.name === name)),
  ])
  const until = clock.now() - MAX_DELAY_MS
  const ahead = aheadOf(createdAt)
  await appendDriven(store, rules, id, until, ahead, onProgress)
  return { organization: id, until, ahead, first: longestDriver(until + ahead) }
}

type Named = { name: string }

async function addMissing<Item, Settings>(
  items: ItemStore<Item, Settings>,
  organization: number,
  wanted: ItemEntry<Settings>[],
  keyOf: (entry: Item | ItemEntry<Settings>) => string,
  now: number,
): Promise<void> {
  const existing = new Set((await items.list(organization)).map(keyOf))
  const missing = wanted.filter((entry) => !existing.has(keyOf(entry)))
  if (missing.length > 0) await items.put(organization, missing, now)
}

/** Appends each vehicle's fixes since its last stored one, at most of the last seven days. */
async function appendDriven(
  store: Store,
  rules: FoldRules,
  organization: number,
  to: number,
  ahead: number,
  onProgress?: (done: number, total: number) => void,
): Promise<void> {
  const objects = await store.objects.list(organization)
  const states = await store.positions.states(organization)
  let batch: NewFix[] = []
  const flush = async () => {
    if (batch.length > 0) await store.positions.append(organization, batch, rules)
    batch = []
  }
  for (const [done, { id, ident }] of objects.entries()) {
    const last = states.get(id)?.lastFix?.timeDevice ?? 0
    for (const fix of drivenFixes(ident, Math.max(last, to - HISTORY_MS), to, ahead)) {
      batch.push({ object: id, fix })
      if (batch.length >= BATCH) await flush()
    }
    onProgress?.(done + 1, objects.length)
  }
  await flush()
}

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
