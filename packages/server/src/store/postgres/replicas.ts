import { setTimeout as waitFor } from 'node:timers/promises'
import { bigintOf, booleanOf } from './binary-copy.ts'
import { openReading, type Patience, type Reading } from './reading.ts'
import { statement } from './statement.ts'
import type { Copying } from './stretches.ts'

/** How often servers are asked how far they are, and how long they have to say so. */
const EVERY_MS = 500
const ANSWER_MS = 1_000
/** Longer than a statement takes that reads positions; what a replica has not read by then, the primary does. */
const PATIENCE: Patience = { statementMs: 1_500, patienceMs: 1_500, maxWaiting: 500 }

/** Byte positions in the write-ahead log. */
const WRITTEN = statement(`SELECT (pg_current_wal_lsn() - '0/0')::int8`)
const REPLAYED = statement(`
  SELECT pg_is_in_recovery(), coalesce(pg_last_wal_replay_lsn() - '0/0', 0)::int8`)

/** Servers that follow the primary, of which only reading is asked. */
export type Replicas = {
  /**
   * Where one request reads what may lag: a replica that holds all that had been committed so many
   * milliseconds ago, and the primary from where that one fails or falls behind, or where there is
   * none. Never another replica, which might lack what the first one had.
   */
  lagging(): Copying
  close(): Promise<void>
}

type Replica = {
  reading: Reading
  /** It held all that the primary had written by then; on the clock of `performance.now`. */
  heldAllAt: number
}

/** Where the primary's log ended at a moment. */
type Mark = { at: number; written: number }

export function openReplicas(
  primary: Reading,
  urls: readonly string[],
  maximumLagMs: number,
): Replicas {
  const replicas = urls.map(
    (url): Replica => ({
      reading: openReading(url, PATIENCE),
      heldAllAt: Number.NEGATIVE_INFINITY,
    }),
  )
  const closing = new AbortController()
  let marks: Mark[] = []
  let turn = 0

  const isUsable = ({ heldAllAt }: Replica) => performance.now() - heldAllAt <= maximumLagMs

  const leaveOut = (replica: Replica) => {
    replica.heldAllAt = Number.NEGATIVE_INFINITY
  }

  async function askPrimary(): Promise<void> {
    // Read before it is asked: what is committed while it answers need not have been told of.
    const at = performance.now()
    const [row] = await inTime(primary.copy(WRITTEN, []))
    marks = [...marks.filter((mark) => at - mark.at <= maximumLagMs), mark(at, row)]
  }

  /** An idle primary writes nothing, and its replica holds all there is however long ago that came. */
  async function askReplica(replica: Replica): Promise<void> {
    const [row] = await inTime(replica.reading.copy(REPLAYED, []))
    const replayed = bigintOf(row![1])!
    const held = marks.findLast(({ written }) => written <= replayed)
    if (booleanOf(row![0]) && held !== undefined) replica.heldAllAt = held.at
  }

  async function askAll(): Promise<void> {
    // Without its answer they grow old by themselves.
    await askPrimary().catch(() => {})
    await Promise.all(replicas.map((replica) => askReplica(replica).catch(() => leaveOut(replica))))
  }

  async function keepAsking(): Promise<void> {
    while (!closing.signal.aborted) {
      await askAll()
      await waitFor(EVERY_MS, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  /** In turn, of those that are usable. */
  function next(): Replica | undefined {
    const usable = replicas.filter(isUsable)
    turn += 1
    return usable[turn % usable.length]
  }

  const asking = replicas.length > 0 ? keepAsking() : Promise.resolve()
  return {
    lagging() {
      let replica = next()
      if (replica === undefined) return primary
      return {
        async copy(statement, values, signal) {
          if (replica !== undefined && isUsable(replica)) {
            try {
              return await replica.reading.copy(statement, values, signal)
            } catch {
              // Whatever it is: what is wrong with the statement itself, the primary tells.
              leaveOut(replica)
            }
          }
          replica = undefined
          return primary.copy(statement, values, signal)
        },
      }
    },
    async close() {
      closing.abort()
      await asking
      await Promise.all(replicas.map(({ reading }) => reading.close()))
    },
  }
}

function mark(at: number, row: (Buffer | null)[] | undefined): Mark {
  return { at, written: bigintOf(row?.[0])! }
}

/** A server that is stopped keeps its connections, and says nothing. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  const late = new AbortController()
  try {
    return await Promise.race([
      answer,
      waitFor(ANSWER_MS, undefined, { signal: late.signal }).then(() => {
        throw new Error('no answer in time')
      }),
    ])
  } finally {
    late.abort()
  }
}
