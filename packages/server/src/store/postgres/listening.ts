import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { type Change, StoreUnavailable, TOPICS } from '../store.ts'
import { Client, clientSettings } from './client.ts'
import { over } from './database.ts'
import { statement } from './statement.ts'

export type Listening = {
  /** Throws `StoreUnavailable` if the reported changes may be more than a second old. */
  assertAnswering(): void
  close(): Promise<void>
}

/** How often changes are queried. Notifications bring them earlier, unless one was lost. */
const ASK_MS = 250
/** After this time another connection is tried, so a silently broken one is noticed within a second. */
const ANSWER_MS = 500
/** After this time the server counts as down. */
const PATIENCE_MS = 1_000

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
export function listen(url: string, since: bigint, hear: (changes: Change[]) => void): Listening {
  const closing = new AbortController()
  let asked = since
  let answeredAt = performance.now()

  async function ask(client: pg.Client): Promise<void> {
    const rows = await over(client).query<Later>(LATER, [asked])
    asked = rows[0]!.xmin
    answeredAt = performance.now()
    hear(rows.flatMap((row) => (row.organization === null ? [] : [changeOf(row)])))
  }

  /** Resolves when the connection breaks. */
  async function overOneConnection(): Promise<void> {
    const client = new Client({
      ...clientSettings(url),
      application_name: 'fleetgate changes',
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    })
    const ended = new AbortController()
    client.on('error', () => ended.abort())
    client.on('end', () => ended.abort())
    /** Notifications that came before the missed changes were read. The missed ones go first. */
    let early: Change[] | undefined = []
    client.on('notification', ({ payload }) => {
      const changes = changesIn(payload ?? '')
      if (early === undefined) hear(changes)
      else early.push(...changes)
    })
    const interrupted = AbortSignal.any([closing.signal, ended.signal])
    try {
      await client.connect()
      await client.query('LISTEN fleetgate')
      await ask(client)
      hear(early)
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
      const left = ASK_MS - (performance.now() - startedAt)
      await pause(Math.max(0, left), undefined, { signal: closing.signal }).catch(() => {})
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

function changeOf({ organization, topic, sequence }: Change): Change {
  return { organization, topic, sequence }
}

/**
 * The text of a notification. Everybody who may connect to the database can send any text on the channel.
 */
function changesIn(payload: string): Change[] {
  try {
    const told: unknown = JSON.parse(payload)
    return Array.isArray(told) ? told.filter(isChange) : []
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
