import type { Change, ChangeListener, Topic, Watch } from '../store.ts'
import { type Listening, listen } from './listening.ts'
import { statement } from './statement.ts'

/**
 * Notes changes for those who were not connected when they were told, each with its transaction, and
 * has the server tell them to those who are once that is committed.
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

/** The values of `ANNOUNCE`, for changes of one organization. */
export function announced(organization: number, changes: readonly Change[]): unknown[] {
  return [
    organization,
    changes.map(({ topic }) => topic),
    changes.map(({ sequence }) => sequence),
    JSON.stringify(changes.map(({ topic, sequence }) => ({ organization, topic, sequence }))),
  ]
}

/** What tells of changes in one store object: each once, whether it is its own or another's. */
export type ChangeFeed = {
  /** Whether anybody is told of anything. */
  isWatched(): boolean
  /** Tells what this store object has just committed. */
  tell(changes: readonly Change[]): Promise<void>
  watch(listener: ChangeListener): Watch
  close(): Promise<void>
}

/** Tells of changes from the transaction `since` on; listens only while anybody watches. */
export function changeFeed(url: string, since: bigint): ChangeFeed {
  const listeners = new Set<ChangeListener>()
  const told = new Map<string, number>()
  let listening: Listening | undefined
  let ending: Promise<void> | undefined

  function isNew({ organization, topic, sequence, stored }: Change): boolean {
    const key = `${organization} ${topic satisfies Topic}`
    const newest = told.get(key) ?? 0
    told.set(key, Math.max(newest, sequence))
    // What this store has stored itself is told once anyway, if not always in the order of commits.
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
      // A function of its own: the same one may watch twice.
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
