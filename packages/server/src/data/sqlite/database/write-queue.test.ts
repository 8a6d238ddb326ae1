import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Checkpointer } from '../log/checkpointer.ts'
import type { LogSync } from '../log/log-sync.ts'
import { type Transactions, writeQueue } from './write-queue.ts'

describe('The queue of writes', () => {
  it('takes more writes at once while others keep the event loop busy', async () => {
    let groups = 0
    const transactions = {
      begin() {},
      commit: (run: () => unknown) => {
        groups += 1
        return run()
      },
      runPart: (run: () => unknown) => ({ result: run() }),
    } as unknown as Transactions
    const log = { isSound: () => true, sync: async () => {} } as unknown as LogSync
    const checkpointer = { makeRoom: async () => {} } as unknown as Checkpointer
    const queue = writeQueue(transactions, log, checkpointer)

    let isBusy = true
    const others = () => {
      spin(20)
      if (isBusy) setImmediate(others)
    }
    setImmediate(others)
    // Each takes longer than a group may last beside a loop that is idle.
    await Promise.all(Array.from({ length: 24 }, () => queue.add(() => spin(1))))
    isBusy = false
    assert.ok(groups <= 12, `${groups} groups`)
  })
})

/** Keeps the processor for some milliseconds. */
function spin(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}
