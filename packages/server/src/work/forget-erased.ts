import { setTimeout as pause } from 'node:timers/promises'
import { minOf } from '../base/domain/common/any-number.ts'
import { systemClock } from '../base/domain/time/time.ts'
import type { Store } from '../engine/store/store.ts'

const LOOK_EVERY_MS = 500

/**
 * Forgets what was made of deleted positions before they were deleted, so that no row has anything of them. Waits until a
 * server has deleted them all and derived the records again: at most `patienceMs`, then rejects.
 */
export async function forgetErased(store: Store, patienceMs: number): Promise<void> {
  const { positions, records, webhooks } = store
  const giveUpAt = performance.now() + patienceMs
  const until = async (holds: () => Promise<boolean>) => {
    while (!(await holds())) {
      if (performance.now() >= giveUpAt) throw new ErasureUnderWay()
      await pause(LOOK_EVERY_MS)
    }
  }
  const erasures = await positions.erasures(null, null)
  for (const [organization, own] of Map.groupBy(erasures, (each) => each.organization)) {
    await until(async () => {
      const now = await positions.erasures(organization, null)
      return now.every(({ state }) => state !== 'under_way')
    })
    await until(async () => (await positions.waitingForRefold(organization)) === 0)
    const foldedAt = systemClock.now()
    await until(async () => {
      const progress = (await records.progress([organization])).get(organization)
      const isDue = (await records.due()).includes(organization)
      return !isDue || (progress !== undefined && progress.at >= foldedAt)
    })
    await webhooks.forget(organization, minOf(own.map(({ from }) => from)))
  }
}

class ErasureUnderWay extends Error {
  override name = 'ErasureUnderWay'

  constructor() {
    super(
      'positions are still being deleted, or records derived without them: let a server run on this data until both are done, and try again',
    )
  }
}
