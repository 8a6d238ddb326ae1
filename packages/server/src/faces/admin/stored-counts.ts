import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../base/domain/time/time.ts'
import type { PackingCounts } from '../../engine/store/position-store.ts'
import { type Store, StoreUnavailable } from '../../engine/store/store.ts'
import { type PackingPass, packableBefore } from '../../work/tasks/refold-and-pack.ts'

export type Counted = PackingCounts & { countedAt: number }

/** How many positions of an organization are packed, and how many are not. */
export type StoredCounts = {
  /** The counts that are known. Null: none are. */
  known(organization: number): Counted | null
  /** Counts if no recent counts are known, and waits a moment for that. Null: the count takes longer. */
  counted(organization: number): Promise<Counted | null>
}

export type CountingParts = {
  store: { positions: Pick<Store['positions'], 'packingCounts'> }
  clock: Clock
  /** The last pass of packing. Null: there was none yet, or another process packs. */
  lastPacking(): PackingPass | null
  failed(error: unknown): void
}

/** As often as a process that packs counts. */
const RECENT_MS = 3_600_000
const PATIENCE_MS = 500

/**
 * A process that packs has the counts of its last pass. Any other counts an organization when somebody looks at it, one
 * organization after the other, and so does one whose last pass is more than an hour ago.
 */
export function openStoredCounts({
  store,
  clock,
  lastPacking,
  failed,
}: CountingParts): StoredCounts {
  const own = new Map<number, Counted>()
  const counting = new Map<number, Promise<void>>()
  let last: Promise<void> = Promise.resolve()

  /** The newer ones of those of the last pass and its own. A pass may have failed, or take long. */
  function known(organization: number): Counted | null {
    const pass = lastPacking()
    const counts = pass?.counts.get(organization)
    const mine = own.get(organization) ?? null
    if (counts === undefined || (mine !== null && mine.countedAt > pass!.endedAt)) return mine
    return { ...counts, countedAt: pass!.endedAt }
  }

  async function count(organization: number): Promise<void> {
    try {
      const counts = await store.positions.packingCounts(organization, packableBefore(clock))
      own.set(organization, { ...counts, countedAt: clock.now() })
    } catch (error) {
      // The next one who looks counts again.
      if (!(error instanceof StoreUnavailable)) failed(error)
    } finally {
      counting.delete(organization)
    }
  }

  function begin(organization: number): Promise<void> {
    last = last.then(() => count(organization))
    counting.set(organization, last)
    return last
  }

  return {
    known,
    async counted(organization) {
      const before = known(organization)
      if (before !== null && clock.now() - before.countedAt < RECENT_MS) return before
      const ended = counting.get(organization) ?? begin(organization)
      await Promise.race([ended, pause(PATIENCE_MS, undefined, { ref: false })])
      return known(organization)
    },
  }
}
