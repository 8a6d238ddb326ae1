import type { Change, ChangeListener, Topic, Watch } from '../store.ts'
import { type Listening, listen } from './listening.ts'
import { statement } from './statement.ts'

/**
 * Notes changes with their transactions, for processes that are not connected, and notifies the connected
 * ones on commit.
 */
export const ANNOUNCE = statement(`
  WITH noted AS (
    INSERT INTO changes (organization, topic, sequence)
    SELECT $1, topic, sequence FROM unnest($2::text[], $3::bigint[]) AS told (topic, sequence)
    ON CONFLICT (organization, topic)
      DO UPDATE SET sequence = excluded.sequence, xid = excluded.xid
  )
  SELECT pg_notify('fleetgate', $4)
`)

/** The values of `ANNOUNCE` for changes of one organization. */
export function announced(organization: number, changes: readonly Change[]): unknown[] {
  return [
    organization,
    changes.map(({ topic }) => topic),
    changes.map(({ sequence }) => sequence),
    JSON.stringify(changes.map(({ topic, sequence }) => ({ organization, topic, sequence }))),
  ]
}

/**
 * Reports each change once to the watchers of one store object, whether the store made it or another did.
 */
export type ChangeFeed = {
  /** Whether there is a watcher. */
  isWatched(): boolean
  /** Reports changes that this store object has just committed. */
  tell(changes: readonly Change[]): Promise<void>
  watch(listener: ChangeListener): Watch
  close(): Promise<void>
}

/** Reports changes from the transaction `since` on. Listens only while there is a watcher. */
export function changeFeed(url: string, since: bigint): ChangeFeed {
  const listeners = new Set<ChangeListener>()
  const told = new Map<string, number>()
  let listening: Listening | undefined
  let ending: Promise<void> | undefined

  function isNew({ organization, topic, sequence, stored }: Change): boolean {
    const key = `${organization} ${topic satisfies Topic}`
    const newest = told.get(key) ?? 0
    told.set(key, Math.max(newest, sequence))
    // This store's own changes are reported once in any case, but not always in commit order.
    return sequence > newest || stored !== undefined
  }

  async function tell(changes: readonly Change[]): Promise<void> {
    const news = changes.filter(isNew)
    await Promise.all(news.flatMap((change) => [...listeners].map((listener) => listener(change))))
  }

  function end(): void {
    ending = listening?.close()
    listening = undefined
  }

  return {
    isWatched: () => listeners.size > 0,
    tell,
    watch(listener) {
      // Wrap it, because the same function may watch twice.
      const mine: ChangeListener = (change) => listener(change)
      listeners.add(mine)
      listening ??= listen(url, since, (changes) => void tell(changes))
      return {
        since: 0,
        catchUp() {
          if (listeners.has(mine)) listening?.assertAnswering()
        },
        close() {
          listeners.delete(mine)
          if (listeners.size === 0) end()
        },
      }
    },
    async close() {
      listeners.clear()
      end()
      await ending
    },
  }
}
