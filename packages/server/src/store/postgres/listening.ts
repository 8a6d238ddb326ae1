import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { type Change, StoreUnavailable, TOPICS } from '../store.ts'
import { Client, clientSettings } from './client.ts'
import { over } from './database.ts'
import { statement } from './statement.ts'

export type Listening = {
  /** Throws `StoreUnavailable` where what has been told may be older than a second. */
  assertAnswering(): void
  close(): Promise<void>
}

/** How often changes are asked for, which are told anyway unless a notification was lost. */
const ASK_MS = 250
/** After which another connection is tried: one that broke without a word is noticed within a second. */
const ANSWER_MS = 500
/** After which the server is taken for one that does not answer. */
const PATIENCE_MS = 1_000

/**
 * What was noted since a transaction that was running then, or will be, has begun, and the oldest one
 * that is running now: one row at least.
 */
const LATER = statement(`
  SELECT now.xmin, organization, topic, sequence
  FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xmin) AS now
  LEFT JOIN changes ON changes.xid >= least($1::xid8, now.xmin)
  ORDER BY organization, sequence
`)

type Later = { xmin: bigint } & (Change | { organization: null })

/**
 * Hears of all changes that are noted by transactions from `since` on, over a connection of its own:
 * some more than once.
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

  /** Until the connection breaks. */
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
    /** What is told before it is known what was missed, which goes first. */
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
      // At once where the connection served for a while, and at the pace of asking where it did not.
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
        `The store cannot answer: PostgreSQL has told nothing of changes for ${Math.round(silentMs)} ms.`,
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

/** What is told over the channel, on which whoever may connect to the database may say anything. */
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
