import { setTimeout as pause } from 'node:timers/promises'
import { minOf } from '../base/domain/common/any-number.ts'
import { systemClock } from '../base/domain/time/time.ts'
import type { Store } from '../engine/store/store.ts'

const LOOK_EVERY_MS = 500

/**
 * Forgets deliveries that were made of positions before these were deleted, and finishes the deletion of objects. Afterwards
 * no row shows any of them. Waits until a server has deleted all positions and derived the records again: at most
 * `patienceMs`, then rejects. Returns the exceptions that are left, a sentence each.
 */
export async function forgetErased(
  store: Store,
  patienceMs: number,
  signal: AbortSignal,
): Promise<string[]> {
  const { positions, records, webhooks } = store
  const left: string[] = []
  await positions.makeRoom(systemClock.now(), signal)
  const giveUpAt = performance.now() + patienceMs
  const until = async (holds: () => Promise<boolean>) => {
    while (!(await holds())) {
      if (signal.aborted) throw new Error('stopped before the end: nothing was rewritten')
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
      const isDue = (await records.due('not_failed')).includes(organization)
      return !isDue || (progress !== undefined && progress.at >= foldedAt)
    })
    await webhooks.forget(organization, minOf(own.map(({ from }) => from)))
    const now = await positions.erasures(organization, null)
    const damaged = now.filter(({ state }) => state === 'damaged').map(({ object }) => object)
    for (const object of new Set(damaged)) {
      left.push(
        `object ${object} of organization ${organization} has damaged ranges, which are not deleted`,
      )
    }
    for (const { kind, id, error } of await records.failures(organization)) {
      left.push(
        `records of ${kind} ${id} of organization ${organization} cannot be derived and may show deleted positions: ${error}`,
      )
    }
  }
  return left
}

class ErasureUnderWay extends Error {
  override name = 'ErasureUnderWay'

  constructor() {
    super(
      'positions are still being deleted, or records derived without them: let a server run on this data until both are done, and try again',
    )
  }
}
