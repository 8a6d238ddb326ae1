import type { DatabaseSync } from 'node:sqlite'
import type { Checkpointer } from '../log/checkpointer.ts'
import type { LogSync } from '../log/log-sync.ts'
import { asUnavailable, isDamage } from './unavailable.ts'

/** The result of a part of a transaction, or its error if the part was rolled back. */
export type Outcome = { result: unknown } | { error: unknown }

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
