import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Checkpointer } from '../log/checkpointer.ts'
import type { LogSync } from '../log/log-sync.ts'
import { asUnavailable, isDamage, retryWhileBusy } from '../unavailable.ts'

/** The result of a part of a transaction, or its error if the part was rolled back. */
type Outcome = { result: unknown } | { error: unknown }

/** Transactions of the writer. Nothing else may run on it between `begin` and `commit`. */
export type Transactions = {
  /** Throws if another connection writes. */
  begin(): void
  /** Runs work and commits. Rolls back if either throws. */
  commit<T>(work: () => T): T
  /** Runs a part of a transaction. Throws only if its error rolled back the whole transaction. */
  runPart(work: () => unknown): Outcome
  /** Maps an error of the writer. After damage, the next sync looks at the log. */
  asRaised(error: unknown): unknown
  /** The number of rollbacks so far. */
  rollbacks(): number
}

export function transactionsOf(
  writer: DatabaseSync,
  log: Pick<LogSync, 'doubt'>,
  checkpointer: Pick<Checkpointer, 'committed'>,
): Transactions {
  const begin = writer.prepare('BEGIN IMMEDIATE')
  const commit = writer.prepare('COMMIT')
  const savepoint = writer.prepare('SAVEPOINT one')
  const release = writer.prepare('RELEASE one')
  const undo = writer.prepare('ROLLBACK TO one')
  let rollbacks = 0

  function asRaised(error: unknown): unknown {
    const raised = asUnavailable(error)
    if (isDamage(raised)) log.doubt()
    return raised
  }

  return {
    begin: () => void begin.run(),
    commit(work) {
      try {
        const result = work()
        commit.run()
        checkpointer.committed()
        return result
      } catch (error) {
        rollbacks += 1
        rollBack(writer)
        throw asUnavailable(error)
      }
    },
    runPart(work) {
      savepoint.run()
      try {
        const result = work()
        release.run()
        return { result }
      } catch (error) {
        if (!writer.isTransaction) throw error
        rollbacks += 1
        undo.run()
        release.run()
        return { error: asRaised(error) }
      }
    },
    asRaised,
    rollbacks: () => rollbacks,
  }
}

/** SQLite has already rolled back after some failures, such as a full disk. */
function rollBack(writer: DatabaseSync): void {
  try {
    if (writer.isTransaction) writer.exec('ROLLBACK')
  } catch {
    // The caller must get the first error.
  }
}

/** A group takes no more writes after this time, because other work waits for the event loop. */
const GROUP_MS = 0.5
/**
 * A group may take this share of the time that other work had since the group before, if that is more. Otherwise
 * packets would wait while many readers follow them. The time for which a group waits for the disk does not count.
 */
const GROUP_SHARE = 1 / 4

/**
 * Called after the commit, while the log is being synced. The write resolves after its promise, which must not
 * reject.
 */
type Report = () => Promise<unknown> | undefined

/** The transaction of one write, as its work sees it. */
export type Transaction = {
  /** Sets the report of this write. It is called only if the write is committed. */
  onCommit(report: Report): void
}

/** The writes of this process, in the order of their calls. */
type WriteQueue = {
  add<T>(work: (transaction: Transaction) => T): Promise<T>
  /** Resolves when all committed writes are on the disk. Rejects with `StoreUnavailable` if they may not be. */
  synced(): Promise<void>
  /** Resolves when no more writes are waiting. */
  drained(): Promise<void>
}

type Write = {
  work(transaction: Transaction): unknown
  report: Report | undefined
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** Writes that wait at the same time form a group: they share a transaction and a sync. */
export function writeQueue(
  transactions: Transactions,
  log: LogSync,
  checkpointer: Checkpointer,
): WriteQueue {
  const waiting: Write[] = []
  let running: Promise<void> | undefined
  let syncing = Promise.resolve()

  async function run(): Promise<void> {
    let othersMs = 0
    // Other writes of this turn join the transaction.
    for (await yieldToOthers(); waiting.length > 0; othersMs = await twoTurns()) {
      const group: Write[] = []
      const waited = waiting.length
      try {
        // Never append after a hole.
        if (!log.isSound()) await log.sync()
        await checkpointer.makeRoom()
        await retryWhileBusy(transactions.begin)
        const outcomes = transactions.commit(() => runGroup(group, othersMs))
        const reports = group.map(({ report }, i) =>
          'result' in outcomes[i]! ? report?.() : undefined,
        )
        // The next group may begin before this one is on the disk.
        syncing = log.sync()
        syncing.then(
          () => settle(group, outcomes, reports),
          (error) => rejectAll(group, error),
        )
      } catch (error) {
        // Writes that came during the attempt get an attempt of their own.
        rejectAll(
          group.length > 0 ? group : waiting.splice(0, waited),
          transactions.asRaised(error),
        )
      }
    }
    running = undefined
  }

  /** Moves waiting writes into the group and runs them, until their time is over. */
  function runGroup(group: Write[], othersMs: number): Outcome[] {
    const until = performance.now() + Math.max(GROUP_MS, GROUP_SHARE * othersMs)
    const outcomes: Outcome[] = []
    do {
      const next = waiting.shift()!
      group.push(next)
      outcomes.push(transactions.runPart(() => next.work(transactionOf(next))))
    } while (waiting.length > 0 && performance.now() < until)
    return outcomes
  }

  return {
    add<T>(work: (transaction: Transaction) => T): Promise<T> {
      const written = new Promise<T>((resolve, reject) => {
        waiting.push({ work, report: undefined, resolve, reject } as Write)
      })
      running ??= run()
      return written
    },
    synced: () => syncing,
    drained: async () => running,
  }
}

function transactionOf(write: Write): Transaction {
  return {
    onCommit(report) {
      write.report = report
    },
  }
}

/** A request comes in one turn of the event loop, and its answer goes out in the next. Returns the milliseconds. */
async function twoTurns(): Promise<number> {
  const begun = performance.now()
  await yieldToOthers()
  await yieldToOthers()
  return performance.now() - begun
}

/** Each write resolves when its report has been handled. */
function settle(
  group: readonly Write[],
  outcomes: readonly Outcome[],
  reports: readonly (Promise<unknown> | undefined)[],
): void {
  for (const [index, { resolve, reject }] of group.entries()) {
    const outcome = outcomes[index]!
    const report = reports[index]
    if ('error' in outcome) reject(outcome.error)
    else if (report === undefined) resolve(outcome.result)
    else report.then(() => resolve(outcome.result), reject)
  }
}

function rejectAll(group: readonly Write[], error: unknown): void {
  for (const { reject } of group) reject(asUnavailable(error))
}
