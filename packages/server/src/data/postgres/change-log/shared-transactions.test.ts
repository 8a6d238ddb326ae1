import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { emptyDatabase } from '../../../../testing/servers/shared-postgres.ts'
import { StoreUnavailable } from '../../../engine/store/store.ts'
import { statement } from '../connection/connection-pool.ts'
import { type Connection, openDatabase } from '../connection/database.ts'
import { sharedTransactions } from './shared-transactions.ts'

const WHICH = statement('SELECT now()::text AS begun, pg_backend_pid() AS process')
const FAILING = statement('SELECT 1 / 0')

describe('Transactions that are shared', () => {
  it('serve all work that waits for the same connection', async () => {
    await using shared = await openShared()
    const held = shared.hold()
    const waiting = Array.from({ length: 3 }, () => shared.share(which))
    held.release()
    const seen = await Promise.all(waiting)
    assert.equal(new Set(seen).size, 1)
    assert.notEqual(seen[0], await shared.share(which))
  })

  it('answer each caller as soon as its own work is done', async () => {
    await using shared = await openShared()
    const held = shared.hold()
    const waiting = shared.share(which)
    const other = Promise.withResolvers<void>()
    const slow = shared.share(async () => other.promise)
    held.release()
    await waiting
    other.resolve()
    await slow
  })

  it('run each work alone if a statement of one has failed', async () => {
    await using shared = await openShared()
    const held = shared.hold()
    const works = [
      shared.share(which),
      shared.share(({ query }) => query(FAILING)),
      shared.share(async (connection) => [await which(connection), await which(connection)]),
    ]
    held.release()
    const outcomes = await Promise.allSettled(works)
    const states = outcomes.map(({ status }) => status)
    assert.deepEqual(states, ['fulfilled', 'rejected', 'fulfilled'])
    await assert.rejects(works[1]!, /division by zero/)
  })

  it('fail for one caller alone whose work fails without a statement', async () => {
    await using shared = await openShared()
    const held = shared.hold()
    const waiting = shared.share(which)
    const failing = shared.share(async () => {
      throw new Error('of the work')
    })
    held.release()
    await assert.rejects(failing, /of the work/)
    await waiting
  })

  it('leave out the work of a client that has gone before they began', async () => {
    await using shared = await openShared()
    const held = shared.hold()
    const gone = new AbortController()
    let runs = 0
    const waiting = shared.share(async () => (runs += 1), gone.signal)
    const other = shared.share(which)
    gone.abort()
    await assert.rejects(waiting, StoreUnavailable)
    held.release()
    await other
    assert.equal(runs, 0)
  })

  it('leave it out although they take no more work', async () => {
    await using shared = await openShared()
    const held = shared.hold()
    const gone = new AbortController()
    const waiting = shared.share(which, gone.signal)
    const others = Array.from({ length: 25 }, () => shared.share(which))
    gone.abort()
    await assert.rejects(waiting, StoreUnavailable)
    held.release()
    await Promise.all(others)
  })

  it('take at most twenty', async () => {
    await using shared = await openShared()
    const held = shared.hold()
    const waiting = Array.from({ length: 45 }, () => shared.share(which))
    held.release()
    const sizes = Map.groupBy(await Promise.all(waiting), (transaction) => transaction)
    const counts = Array.from(sizes.values(), ({ length }) => length)
    assert.deepEqual(counts, [20, 20, 5])
  })

  it('fail for all callers if there is no connection', async () => {
    await using shared = await openShared()
    await shared.close()
    const works = Array.from({ length: 3 }, () => shared.share(which))
    for (const work of works) await assert.rejects(work, StoreUnavailable)
  })
})

/** The transaction of a connection. */
async function which({ query }: Connection): Promise<string> {
  const [row] = await query<{ begun: string; process: number }>(WHICH)
  return `${row!.begun} ${row!.process}`
}

/** Shared transactions over one connection. `hold` takes it until `release`. */
async function openShared() {
  const database = openDatabase(await emptyDatabase(), 1)
  const share = sharedTransactions(database)
  return {
    share,
    hold() {
      const { promise, resolve: release } = Promise.withResolvers<void>()
      void database.transaction(() => promise)
      return { release }
    },
    close: database.close,
    [Symbol.asyncDispose]: database.close,
  }
}
