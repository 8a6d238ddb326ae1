import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { addAll } from '../../base/domain/common/any-number.ts'
import { ITEM_TOPICS } from '../../base/domain/item-rules.ts'
import {
  type Change,
  type ChangeListener,
  StoreUnavailable,
  TOPICS,
  type Topic,
  type Watch,
} from '../../engine/store/store.ts'
import { Client, clientSettings } from './connection/client.ts'
import { statement } from './connection/connection-pool.ts'
import { over } from './connection/database.ts'

/** How often changes are queried. Notifications bring them earlier, unless one was lost. */
const ASK_MS = 250
/** After this time another connection is tried, so a silently broken one is noticed within a second. */
const ANSWER_MS = 500
/** After this time the server counts as down. */
const PATIENCE_MS = 1_000

/**
 * Notes changes with their transactions, for processes that are not connected, and notifies the connected
 * ones on commit.
 */
export const ANNOUNCE = statement(`
  WITH noted AS (
    INSERT INTO changes (organization, topic, sequence)
    SELECT $1, topic, sequence FROM unnest($2::text[], $3::bigint[]) AS made (topic, sequence)
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
export type Announcements = {
  /** Whether there is a watcher. */
  isWatched(): boolean
  /** Reports changes that this store object has just committed. */
  report(changes: readonly Change[]): Promise<void>
  watch(listener: ChangeListener): Watch
  close(): Promise<void>
}

/**
 * The rows of these topics are on the workers of a distributed database. The coordinator shows that a change was
 * committed a moment before its worker does, and longer if the worker is down. A process that read the rows in
 * between would keep old ones.
 */
const ON_WORKERS: ReadonlySet<Topic> = new Set([...ITEM_TOPICS, 'states'])

/** A worker that is down is asked again after this time. */
const SETTLE_AGAIN_MS = 500

/**
 * Reports changes from the transaction `since` on. Listens only while there is a watcher. In a distributed database
 * `settled` resolves when all writes to an organization that have begun are visible.
 */
export function openAnnouncements(
  url: string,
  since: bigint,
  settled?: (organization: number) => Promise<unknown>,
): Announcements {
  const listeners = new Set<ChangeListener>()
  const reported = new Map<string, number>()
  let listening: Listening | undefined
  let ending: Promise<void> | undefined

  const isWatched = () => listeners.size > 0

  function isNew({ organization, topic, sequence, stored }: Change): boolean {
    const key = `${organization} ${topic satisfies Topic}`
    const newest = reported.get(key) ?? 0
    reported.set(key, Math.max(newest, sequence))
    // This store's own changes are reported once in any case, but not always in commit order.
    return sequence > newest || stored !== undefined
  }

  async function report(changes: readonly Change[]): Promise<void> {
    const news = changes.filter(isNew)
    await Promise.all(news.flatMap((change) => [...listeners].map((listener) => listener(change))))
  }

  /** Reports changes that others have made. */
  function reportOfOthers(changes: readonly Change[]): void {
    if (settled === undefined) return void report(changes)
    const [later, now] = [changes.filter(isOnWorker), changes.filter((each) => !isOnWorker(each))]
    void report(now)
    const unknown = later.filter(({ organization, topic, sequence }) => {
      return sequence > (reported.get(`${organization} ${topic}`) ?? 0)
    })
    for (const [organization, mine] of Map.groupBy(unknown, (each) => each.organization)) {
      void untilSettled(organization, settled, isWatched).then(() => report(mine))
    }
  }

  function end(): void {
    ending = listening?.close()
    listening = undefined
  }

  return {
    isWatched,
    report,
    watch(listener) {
      // Wrap it, because the same function may watch twice.
      const mine: ChangeListener = (change) => listener(change)
      listeners.add(mine)
      listening ??= listen(url, since, reportOfOthers)
      return {
        since: 0,
        reportsAll: false,
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

/** Asks again while there is a watcher. */
async function untilSettled(
  organization: number,
  ask: (organization: number) => Promise<unknown>,
  isWatched: () => boolean,
): Promise<void> {
  while (isWatched()) {
    try {
      await ask(organization)
      return
    } catch {
      await pause(SETTLE_AGAIN_MS)
    }
  }
}

type Listening = {
  /** Throws `StoreUnavailable` if the reported changes may be more than a second old. */
  assertAnswering(): void
  close(): Promise<void>
}

/**
 * Changes of all transactions that began since a given one, and the oldest transaction still running. At
 * least one row.
 */
const LATER = statement(`
  SELECT now.xmin, organization, topic, sequence
  FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xmin) AS now
  LEFT JOIN changes ON changes.xid >= least($1::xid8, now.xmin)
  ORDER BY organization, sequence
`)

type Later = { xmin: bigint } & (Change | { organization: null })

/**
 * Reports all changes of transactions from `since` on, over its own connection. Some are reported more
 * than once.
 */
function listen(url: string, since: bigint, onChanges: (changes: Change[]) => void): Listening {
  const closing = new AbortController()
  let asked = since
  let answeredAt = performance.now()

  async function ask(client: pg.Client): Promise<void> {
    const rows = await over(client).query<Later>(LATER, [asked])
    asked = rows[0]!.xmin
    answeredAt = performance.now()
    onChanges(rows.flatMap((row) => (row.organization === null ? [] : [changeOf(row)])))
  }

  /** Resolves when the connection breaks. */
  async function overOneConnection(): Promise<void> {
    const client = changesClient(url)
    const ended = new AbortController()
    client.on('error', () => ended.abort())
    client.on('end', () => ended.abort())
    /** Notifications that came before the missed changes were read. The missed ones go first. */
    let early: Change[] | undefined = []
    client.on('notification', ({ payload }) => {
      const changes = changesIn(payload ?? '')
      if (early === undefined) onChanges(changes)
      else addAll(early, changes)
    })
    const interrupted = AbortSignal.any([closing.signal, ended.signal])
    try {
      await client.connect()
      await client.query('LISTEN fleetgate')
      await ask(client)
      onChanges(early)
      early = undefined
      for (;;) {
        await pause(ASK_MS, undefined, { signal: interrupted })
        await ask(client)
      }
    } finally {
      await client.end().catch(() => {})
    }
  }

  async function listenOn(): Promise<void> {
    while (!closing.signal.aborted) {
      const startedAt = performance.now()
      await overOneConnection().catch(() => {})
      // Reconnects at once if the connection worked for a while, else after a pause.
      const pauseMs = ASK_MS - (performance.now() - startedAt)
      await pause(Math.max(0, pauseMs), undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  const listening = listenOn()
  return {
    assertAnswering() {
      const silentMs = performance.now() - answeredAt
      if (silentMs <= PATIENCE_MS) return
      throw new StoreUnavailable(
        `The store cannot answer: PostgreSQL has reported no changes for ${Math.round(silentMs)} ms.`,
      )
    },
    async close() {
      closing.abort()
      await listening
    },
  }
}

function changesClient(url: string): Client {
  return new Client({
    ...clientSettings(url),
    application_name: 'fleetgate changes',
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  })
}

function isOnWorker({ topic }: Change): boolean {
  return ON_WORKERS.has(topic)
}

function changeOf({ organization, topic, sequence }: Change): Change {
  return { organization, topic, sequence }
}

/**
 * The text of a notification. Everybody who may connect to the database can send any text on the channel.
 */
function changesIn(payload: string): Change[] {
  try {
    const changes: unknown = JSON.parse(payload)
    return Array.isArray(changes) ? changes.filter(isChange) : []
  } catch {
    return []
  }
}

function isChange(value: unknown): value is Change {
  const { organization, topic, sequence } = Object(value)
  return (
    Number.isSafeInteger(organization) && TOPICS.includes(topic) && Number.isSafeInteger(sequence)
  )
}
