import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { DatabaseError } from 'pg'
import { startPostgres } from '../../../../testing/servers/postgres.ts'
import { emptyDatabase } from '../../../../testing/servers/shared-postgres.ts'
import { StoreUnavailable } from '../../../engine/store/store.ts'
import { statement } from './connection-pool.ts'
import { type Database, openDatabase } from './database.ts'

const MAKE = statement('CREATE TABLE taken (value int PRIMARY KEY)')
const TAKE = statement('INSERT INTO taken VALUES ($1)')
const TAKEN = statement('SELECT value FROM taken ORDER BY value')
/** As PostgreSQL raises it after a role's transaction_timeout. */
const TAKE_TOO_LONG = statement(`DO $$ BEGIN RAISE 'too long' USING ERRCODE = '25P04'; END $$`)
const LOSE = statement(`DO $$ BEGIN RAISE 'lost' USING ERRCODE = '40001'; END $$`)

describe('A value', () => {
  it('returns unchanged', async (t) => {
    const database = await opened(t)
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    const values = [bytes, 2 ** 53 - 1, -1.1e-300, 'Straße 😀', true, null, 2n ** 64n - 1n]
    const [row] = await database.query<object>(
      statement(`
        SELECT $1::bytea AS a, $2::bigint AS b, $3::double precision AS c, $4::text AS d,
          $5::boolean AS e, $6::int AS f, $7::xid8 AS g
      `),
      values,
    )
    assert.deepEqual(Object.values(row!), values)
    const tooLarge = statement('SELECT 9007199254740993 AS value')
    await assert.rejects(database.query(tooLarge), TypeError)
  })
})

describe('A transaction', () => {
  it("is an outage if it exceeds PostgreSQL's timeout", async (t) => {
    const database = await opened(t)
    await assert.rejects(database.run(TAKE_TOO_LONG), {
      name: 'StoreUnavailable',
      message: 'The store cannot answer: a transaction took too long.',
    })
  })

  it('is all or nothing after any failure, and leaves a usable connection', async (t) => {
    const database = await opened(t)
    await database.run(MAKE)
    const own = database.transaction(async (connection) => {
      await connection.run(TAKE, [1])
      throw new RangeError('of the work')
    })
    await assert.rejects(own, RangeError)
    const sent = database.transaction(async (connection) => {
      connection.run(TAKE, [2])
      connection.run(TAKE, [2])
      connection.run(TAKE, [3])
    })
    await assert.rejects(sent, { code: '23505' })
    await database.transaction(async (connection) => {
      connection.run(TAKE, [4])
    })
    assert.deepEqual(await database.query(TAKEN), [{ value: 4 }])
  })

  it('is repeated after a conflict, but not forever', async (t) => {
    const database = await opened(t)
    await database.run(MAKE)
    let attempts = 0
    await database.transaction(async (connection) => {
      attempts += 1
      await connection.run(TAKE, [attempts])
      if (attempts < 3) await connection.run(LOSE)
    })
    assert.deepEqual(await database.query(TAKEN), [{ value: 3 }])
    const lost = database.transaction((connection) => connection.run(LOSE))
    await assert.rejects(lost, (error) => {
      assert.ok(error instanceof StoreUnavailable)
      assert.equal((error.cause as DatabaseError).code, '40001')
      return true
    })
  })

  it('completes during a close, and none begins afterwards', async () => {
    const url = await emptyDatabase()
    const database = openDatabase(url)
    await database.run(MAKE)
    const turn = Promise.withResolvers<void>()
    const first = database.transaction(async (connection) => {
      await turn.promise
      await connection.run(TAKE, [1])
    })
    const second = database.transaction((connection) => connection.run(TAKE, [2]), first)
    const closed = database.close()
    await assert.rejects(database.query(TAKEN), { name: 'StoreUnavailable' })
    turn.resolve()
    await closed
    await Promise.all([first, second])
    const again = openDatabase(url)
    assert.deepEqual(await again.query(TAKEN), [{ value: 1 }, { value: 2 }])
    await again.close()
  })
})

describe('An outage', () => {
  it('fails waiting statements, but none that come afterwards', async (t) => {
    const database = await opened(t)
    await database.run(MAKE)
    const END_ITSELF = statement('SELECT pg_terminate_backend(pg_backend_pid())')
    const first = database.transaction((connection) => connection.run(END_ITSELF))
    const second = database.transaction((connection) => connection.run(TAKE, [1]), first)
    const third = database.transaction((connection) => connection.run(TAKE, [2]), second)
    for (const each of await Promise.allSettled([first, second, third])) {
      assert.equal(each.status === 'rejected' && each.reason.name, 'StoreUnavailable')
    }
    await database.transaction((connection) => connection.run(TAKE, [3]))
    assert.deepEqual(await database.query(TAKEN), [{ value: 3 }])
  })

  it('is reported as such, breaks nothing else, and passes', async () => {
    const server = await startPostgres()
    const database = openDatabase(await server.database())
    try {
      await database.run(MAKE)
      // All open connections are idle when they break.
      await Promise.all([1, 2, 3].map((value) => database.run(TAKE, [value])))
      await server.restart('immediate')
      assert.equal((await database.query(TAKEN)).length, 3)
      const caught = Promise.withResolvers<void>()
      const writing = database.transaction(async (connection) => {
        await connection.run(TAKE, [4])
        caught.resolve()
        await connection.run(statement('SELECT pg_sleep(60)'))
      })
      const failed = assert.rejects(writing, { name: 'StoreUnavailable' })
      await caught.promise
      await server.halt('immediate')
      await failed
      await assert.rejects(database.query(TAKEN), { name: 'StoreUnavailable' })
      await server.start()
      assert.equal((await database.query(TAKEN)).length, 3)
    } finally {
      await database.close()
      await server.stop()
    }
  })
})

async function opened(t: TestContext): Promise<Database> {
  const database = openDatabase(await emptyDatabase())
  t.after(database.close)
  return database
}
