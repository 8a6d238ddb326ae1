import { addTenants, type Tenant } from '../../../bench/tenants.ts'
import { FEED_TOKEN, newSecret } from '../../../packages/server/src/base/access/secret.ts'
import { bareFix } from '../../../packages/server/src/base/domain/position/fix.ts'
import { systemClock } from '../../../packages/server/src/base/domain/time/time.ts'
import type { Store } from '../../../packages/server/src/engine/store/store.ts'
import { foldRules } from '../../../packages/server/src/engine/tracking/rules/advance.ts'

/** An organization that reads and sends, with one object and its history. */
export type Caller = Tenant & { token: string; rows: number }

const BATCH = 10_000
/** The start of the history; sent positions are later. */
const HISTORY_FROM = Date.UTC(2024, 5, 1)
const SENT_FROM = Date.UTC(2025, 0, 1)
const SENT_RANGE = { from: SENT_FROM, to: Date.UTC(2030, 0, 1) }
const ALL = 1e9
const SECOND_MS = 1_000

/** A range with the whole history and no sent positions. */
export const HISTORY_RANGE = 'from_time=2024-06-01&to_time=2024-12-31'

/** Adds organizations; the first of them have histories of this length. */
export async function addCallers(
  store: Store,
  count: number,
  histories: readonly number[],
): Promise<Caller[]> {
  const callers: Caller[] = []
  for (const tenant of await addTenants(store, count)) {
    const { secret: token, ...stored } = newSecret(FEED_TOKEN)
    const issued = { ...stored, name: 'load', expiresAt: null }
    await store.feedTokens.issue(tenant.organization, issued, Date.now())
    const rows = histories[callers.length] ?? 0
    await addHistory(store, tenant, rows)
    callers.push({ ...tenant, token, rows })
  }
  return callers
}

async function addHistory(store: Store, tenant: Tenant, rows: number): Promise<void> {
  const { organization, object } = tenant
  for (let from = 0; from < rows; from += BATCH) {
    const fixes = Array.from({ length: Math.min(BATCH, rows - from) }, (_, i) => {
      const time = HISTORY_FROM + (from + i) * SECOND_MS
      return { object, fix: bareFix(time, time + 400, 41 + (from + i) / 1e6, 2) }
    })
    await store.positions.append(organization, fixes, foldRules(systemClock))
  }
}

/** The time of the next sent position of any object: each is used once. */
export function sentMoments(): () => number {
  let sent = 0
  return () => SENT_FROM + sent++ * SECOND_MS
}

/** The number of sent positions that are stored. */
export async function storedOf(store: Store, callers: readonly Caller[]): Promise<number> {
  let stored = 0
  for (const { organization, object } of callers) {
    stored += await store.positions.count(organization, object, SENT_RANGE, ALL)
  }
  return stored
}
