import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startPostgres } from '../../../testing/servers/postgres.ts'
import {
  fixAt,
  NOW,
  newFleet,
  newKey,
  newOrganization,
} from '../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../testing/stores/temporary-postgres-store.ts'
import { valuesOf } from '../../../testing/values-of.ts'
import type { Change, Store } from '../../engine/store/store.ts'
import { statement } from './connection/connection-pool.ts'
import { openPostgresStore } from './open.ts'

/** Every other machine must know a change within this time. */
const SECOND_MS = 1_000

const LISTENERS = `
  SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'fleetgate changes'`

describe('A change on another machine', () => {
  it('arrives within a second although the notifying connection was just broken', async (t) => {
    const { store, organization, database, settled, heard } = await withListener(t)
    const { id: key } = await store.keys.issue(organization, newKey('a'), NOW)
    await settled(heard.watch)
    heard.told.length = 0
    for (let round = 0; round < 3; round += 1) {
      const [broken] = await database.query<{ count: number }>(statement(LISTENERS))
      assert.equal(broken?.count, 1)
      const told = heard.next()
      const before = performance.now()
      if (round === 0) await store.keys.revoke(organization, key, NOW)
      else await store.keys.issue(organization, newKey('b'), NOW)
      assert.deepEqual((await told).topic, 'keys')
      assert.ok(performance.now() - before < SECOND_MS)
      await settled(heard.watch)
    }
    assert.equal(heard.told.length, 3)
  })

  it('arrives within a second, and once, although its notification was lost', async (t) => {
    const { organization, database, settled, heard } = await withListener(t)
    const told = heard.next()
    const before = performance.now()
    await database.run(
      statement(`INSERT INTO changes (organization, topic, sequence) VALUES ($1, 'keys', 7)`),
      [organization],
    )
    assert.deepEqual(await told, { organization, topic: 'keys', sequence: 7 })
    assert.ok(performance.now() - before < SECOND_MS)
    await settled(heard.watch)
    assert.equal(heard.told.length, 1)
  })

  it('arrives despite an invalid message on its channel', async (t) => {
    const { store, organization, database, heard } = await withListener(t)
    for (const payload of ['hello', '', '5', '{}', '[null]', '[{"organization":"1"}]']) {
      await database.run(statement('SELECT pg_notify($1, $2)'), ['fleetgate', payload])
    }
    const told = heard.next()
    await store.keys.issue(organization, newKey('c'), NOW)
    assert.deepEqual((await told).topic, 'keys')
    assert.equal(heard.told.length, 1)
  })

  it('arrives if it was committed after, but begun before, many other changes', async (t) => {
    const { store, organization, database, settled, heard } = await withListener(t)
    await database.transaction(async (connection) => {
      await connection.run(
        statement(`INSERT INTO changes (organization, topic, sequence) VALUES ($1, 'sites', 9)`),
        [organization],
      )
      for (let more = 0; more < 3; more += 1) {
        await store.keys.issue(organization, newKey('a'), NOW)
        await settled(heard.watch)
      }
    })
    await heard.until((change) => change.topic === 'sites')
    assert.deepEqual(valuesOf(heard.told, 'topic'), ['keys', 'keys', 'keys', 'sites'])
  })

  it('arrives although a copy of SQLite brought a greater number', async (t) => {
    const { store, organization, database, settled, heard } = await withListener(t)
    await database.run(
      statement(`INSERT INTO changes (organization, topic, sequence) VALUES ($1, 'idents', 90)`),
      [organization],
    )
    await settled(heard.watch)
    await store.routing.assign({ ident: 'x', organizations: [organization], ifOwned: 'refuse' })
    await heard.until(({ topic, sequence }) => topic === 'idents' && sequence === 91)
  })

  it('reaches all machines without its states if the changing store is not watched', async (t) => {
    const { organization, append, settled, heard } = await withListener(t)
    await append([fixAt(1)])
    await settled(heard.watch)
    assert.deepEqual(heard.told, [{ organization, topic: 'states', sequence: 1 }])
  })
})

describe('The announcements while PostgreSQL does not answer', () => {
  it('fails to catch up after exactly a second, and reports the missed changes later', async () => {
    const server = await startPostgres()
    const url = await server.database()
    const [store, other] = [await openPostgresStore(url), await openPostgresStore(url)]
    try {
      const heard = hear(store)
      heard.watch.catchUp()
      await server.halt('immediate')
      const before = performance.now()
      const failed = await untilThrown(() => heard.watch.catchUp())
      assert.equal(failed.name, 'StoreUnavailable')
      assert.ok(performance.now() - before > SECOND_MS / 2)
      await assert.rejects(newOrganization(store), { name: 'StoreUnavailable' })
      await server.start()
      const told = heard.next()
      const organization = await newOrganization(other)
      assert.equal((await told).organization, organization)
      heard.watch.catchUp()
    } finally {
      await store.close()
      await other.close()
      await server.stop()
    }
  })
})

function hear(store: Store, isHeard: (change: Change) => boolean = () => true) {
  const told: Change[] = []
  const changes = new EventTarget()
  const watch = store.watch((change) => {
    if (!isHeard(change)) return
    told.push(change)
    changes.dispatchEvent(new Event('change'))
  })
  const next = async () => {
    await once(changes, 'change', { signal: AbortSignal.timeout(5 * SECOND_MS) })
    return told.at(-1)!
  }
  return {
    watch,
    told,
    next,
    async until(is: (change: Change) => boolean): Promise<void> {
      while (!told.some(is)) await next()
    },
  }
}

const NOTED = statement('SELECT organization, topic, sequence FROM changes')

/**
 * A fleet, and what another process learns of it. Ignores earlier changes, which may be reported again at any time: a
 * store begins at the oldest running transaction, which may belong to another database of the server.
 */
async function withListener(t: TestContext) {
  const opened = await temporaryStore(t)
  const { database, settled, store } = opened
  const fleet = await newFleet(store)
  const before = new Set((await database.query<Change>(NOTED)).map(nameOf))
  const heard = hear(await opened.reopen(), (change) => !before.has(nameOf(change)))
  await settled(heard.watch)
  return { ...fleet, store, database, settled, heard }
}

const nameOf = ({ organization, topic, sequence }: Change) => `${organization} ${topic} ${sequence}`

async function untilThrown(call: () => void): Promise<Error> {
  for (;;) {
    try {
      call()
    } catch (error) {
      return error as Error
    }
    await pause(10)
  }
}
