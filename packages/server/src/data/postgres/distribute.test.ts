import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { handedClock } from '../../../testing/handed-clock.ts'
import { askPostgres } from '../../../testing/servers/ask-postgres.ts'
import {
  type Citus,
  citusIsMissing,
  newCitusDatabase,
  startCitus,
} from '../../../testing/servers/citus.ts'
import {
  applyOn,
  derived,
  HOLDER,
  LEASE_MS,
  newPut,
  trip,
} from '../../../testing/store-contract/derived.ts'
import {
  ALL_TIME,
  append,
  fixAt,
  NOW,
  newObject,
  newOrganization,
  PLAIN,
  testsOn,
} from '../../../testing/store-contract/fixture.ts'
import { recordContract } from '../../../testing/store-contract/records.ts'
import { webhookContract } from '../../../testing/store-contract/webhooks.ts'
import { temporaryStores } from '../../../testing/stores/temporary-postgres-store.ts'
import type { Store } from '../../engine/store/store.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'
import { checkServer } from './connection/server-check.ts'
import { distribute, readLayout } from './distribute.ts'
import { DISTRIBUTED_TABLES } from './lay-out.ts'
import { openQuotaCounts } from './live-counts.ts'
import { openPostgresStore } from './open.ts'
import { MIGRATIONS, migrate } from './schema.ts'
import { shrinkDatabase } from './shrink.ts'

describe('A database that Citus distributes', { skip: citusIsMissing ?? false }, () => {
  let citus: Citus
  let url: string
  let store: Store
  const onCitus = testsOn(temporaryStores(() => citus.database()))

  before(async () => {
    if (citusIsMissing !== undefined) return
    citus = await startCitus()
    url = await citus.database()
    store = await openPostgresStore(url)
  })

  after(async () => {
    await store?.close()
    await citus?.stop()
  })

  it('has one epoch on all workers', async () => {
    const epochs = new Set<string>()
    for (const name of ['A', 'B', 'C', 'D']) {
      const organization = await newOrganization(store, name)
      const object = await newObject(store, organization)
      await append(store, organization, object, [fixAt(10)])
      epochs.add((await store.changeLog.view(organization, async ({ epoch }) => epoch))!)
      const changes = await store.changeLog.view(organization, (view) => view.changes(0, 9))
      assert.equal(changes?.length, 2)
    }
    assert.equal(epochs.size, 1)
    while (await store.changeLog.purge(Number.MAX_SAFE_INTEGER)) {}
  })

  webhookContract(onCitus)
  recordContract(onCitus, foldRules(handedClock(NOW * 1_000)))

  it('sends what requests and packets need to one worker, and fans out for the rest', async () => {
    const { positions, changeLog, records, objects, usage, webhooks } = store
    const organization = await newOrganization(store, 'One')
    const object = await newObject(store, organization)
    const fixes = [10, 20, 30].map((second) => fixAt(second))
    const idents = [{ ident: 'x', reason: 'unknown_ident', packets: 1, lastAt: NOW }] as const
    const where = { latitude: null, longitude: null }
    const query = { type: 'trips', objects: null, range: ALL_TIME, minDuration: 0 } as const
    const counts = openQuotaCounts(url)
    await records.lease(HOLDER, LEASE_MS, [organization])
    const toOne: Record<string, () => Promise<unknown>> = {
      'a packet': () => append(store, organization, object, [fixes[0]!, fixes[2]!]),
      'a late packet': () => append(store, organization, object, [fixes[1]!]),
      'a rejected packet': () => append(store, organization, object, [fixes[1]!]),
      'a refused ident': () => store.refusedIdents.add(organization, [{ ...idents[0], ...where }]),
      'a new object': () => objects.ensure(organization, ['new'], NOW),
      'a new object of a feed token': () => objects.ensure(organization, ['fed'], NOW, 1),
      'a claimed ident': () =>
        store.routing.claim(new Map([['claimed', { id: 1, organizations: [organization] }]]), NOW),
      'an assigned ident': () =>
        store.routing.assign({
          ...{ ident: 'assigned', organizations: [organization], ifOwned: 'refuse' },
        }),
      'the object of an assigned ident': () =>
        store.routing.settle(organization, { ident: 'assigned', name: 'x' }, NOW),
      'waiting idents': () => store.routing.waiting(),
      'a history': () => positions.history(organization, object, ALL_TIME, null),
      'a last position': () => positions.states(organization, [object]),
      'a list': () => objects.list(organization),
      'the versions of lists': () => store.organizations.versions(organization),
      'a page of changes': () => changeLog.view(organization, (view) => view.changes(0, 9)),
      'the newest change': () => changeLog.newest([organization]),
      'a slice of records': () =>
        applyOn(store, organization, {
          objects: [derived(object, [newPut(1, trip(10, 20))])],
        }),
      'a page of records': () =>
        records.page(organization, { ...query, places: null, after: null, limit: 9 }),
      'the webhooks': () => webhooks.deliveries(organization, 1),
      'the counts of requests': () =>
        usage.add([{ organization, day: 1, key: 1, operation: 'ping', status: 200, requests: 1 }]),
      'the counts of quotas': () =>
        counts.write([{ organization, day: 1, object, hundredths: 100 }]),
    }
    const toMany: Record<string, () => Promise<unknown>> = {
      'organizations with records to derive': () => records.due(),
      'the next object to fold again': () => positions.refold(null, PLAIN),
      'weekly partitions': () => positions.makeRoom(Date.now()),
    }
    const fansOut = await countFanOuts(url)
    const found: string[] = []
    for (const [name, work] of Object.entries({ ...toOne, ...toMany })) {
      if (await fansOut(work)) found.push(name)
    }
    await counts.close()
    assert.deepEqual(found, Object.keys(toMany))
  })

  it('reports a change once the worker shows it, later than the coordinator', async () => {
    const organization = await newOrganization(store, 'Told')
    const told: string[] = []
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const watch = store.watch((change) => {
      if (change.organization !== organization) return
      told.push(change.topic)
      if (change.topic === 'keys') first.resolve()
      if (change.topic === 'objects') second.resolve()
    })
    const client = new pg.Client(url)
    await client.connect()
    await client.query('BEGIN')
    await client.query(`SELECT FROM sequences WHERE organization = ${organization} FOR UPDATE`)
    await ask(
      url,
      `INSERT INTO changes (organization, topic, sequence)
      VALUES (${organization}, 'objects', 9), (${organization}, 'keys', 9)`,
    )
    await first.promise
    assert.ok(!told.includes('objects'))
    await client.query('COMMIT')
    await second.promise
    watch.close()
    await client.end()
  })

  it('is laid out as one may read, and again changes nothing', async () => {
    const nothing = await distribute(url, () => {}, new AbortController().signal)
    assert.deepEqual(nothing, [])
    const { nodes, tables, missing } = (await readLayout(url))!
    assert.deepEqual(missing, [])
    const distributed = tables.filter(({ placement }) => placement === 'distributed')
    assert.equal(distributed.length, DISTRIBUTED_TABLES.length)
    assert.deepEqual(
      nodes.map(({ isCoordinator, isActive, hasShards }) => [isCoordinator, isActive, hasShards]),
      [
        [true, true, false],
        [false, true, true],
        [false, true, true],
      ],
    )
    assert.ok(nodes.slice(1).every(({ shards, bytes }) => shards! > 0 && bytes! > 0))
  })

  it('continues with the ids of the rows that it had before', async () => {
    const servers = [citus.url, ...citus.workerUrls]
    const of = await newCitusDatabase(servers, 'with_rows', { isLaidOut: false })
    const note = async () => {
      const noting = await openPostgresStore(of)
      const subject = { organization: null, target: null, name: null, changes: null }
      await noting.audit.add({ at: NOW, actor: 'test', action: 'sign_in', ...subject })
      const entries = await noting.audit.list({ organization: null, before: null, limit: 9 })
      await noting.close()
      return entries.map(({ id }) => id)
    }
    assert.deepEqual([await note(), await note()], [[1], [2, 1]])
    await distribute(of, () => {}, new AbortController().signal)
    assert.deepEqual(await note(), [3, 2, 1])
  })

  it('is shrunk with the parts and the samples of each worker', async () => {
    const servers = [citus.url, ...citus.workerUrls]
    const of = await newCitusDatabase(servers, 'to_shrink')
    // Citus hides the parts on a worker from other sessions.
    const search = '?options=-c%20citus.override_table_visibility%3Doff'
    const files = async () => {
      const found = servers.map((server) =>
        askPostgres<{ name: string; file: number }>(
          Object.assign(new URL(server), { pathname: '/to_shrink', search }).href,
          `SELECT relname AS name, pg_relation_filenode(oid) AS file FROM pg_class
          WHERE relname ~ '^(pg_statistic$|positions_default_[0-9]+$)'`,
        ),
      )
      return (await Promise.all(found)).map(
        (rows) => new Map(rows.map((row) => [row.name, row.file])),
      )
    }
    const before = await files()
    const { skipped } = await shrinkDatabase(of, () => {}, new AbortController().signal)
    assert.deepEqual(skipped, [])
    for (const [server, now] of (await files()).entries()) {
      assert.ok(server === 0 || now.size > 1, [...now.keys()].join())
      for (const [name, file] of now) assert.notEqual(file, before[server]!.get(name), name)
    }
  })

  it('lays out the tables of a later migration', async () => {
    const text = `
      CREATE TABLE refolds_before AS SELECT * FROM refolds;
      DROP TABLE refolds;
      CREATE TABLE refolds (organization bigint NOT NULL, object bigint NOT NULL,
        from_time bigint NOT NULL, PRIMARY KEY (organization, object))`
    const of = await citus.database()
    await migrate(of, [...MIGRATIONS, { text, compatibleFrom: 1 }])
    assert.deepEqual((await readLayout(of))!.missing, [])
  })

  it('is refused if a worker can lose acknowledged data', async () => {
    await checkServer(citus.url, false)
    const worker = citus.workerUrls[1]!
    const name = `The Citus worker ${new URL(worker).host}`
    for (const setting of ['fsync', 'synchronous_commit']) {
      await configure(worker, `SET ${setting} = off`, setting, 'off')
      await assert.rejects(checkServer(citus.url, false), (error: Error) => {
        assert.equal(error.name, 'DataLossPossible')
        assert.ok(error.message.startsWith(`${name} runs with ${setting} = off`), error.message)
        return true
      })
      await checkServer(citus.url, true)
      await configure(worker, `RESET ${setting}`, setting, 'on')
    }
  })
})

/** Changes a setting of a server. A reload reaches new sessions a moment later. */
async function configure(
  url: string,
  change: string,
  setting: string,
  value: string,
): Promise<void> {
  await ask(url, `ALTER SYSTEM ${change}`)
  await ask(url, 'SELECT pg_reload_conf()')
  while ((await ask(url, `SHOW ${setting}`))[setting] !== value);
}

/** The first row of the answer in a new session. */
async function ask(url: string, text: string) {
  return (await askPostgres(url, text))[0]!
}

/** Returns whether work in a database had any statement that Citus sent to more than one shard. */
async function countFanOuts(url: string) {
  const sent = async () =>
    Number(
      (
        await ask(
          url,
          `SELECT query_execution_multi_shard AS count FROM citus_stat_counters
          WHERE name = current_database()`,
        )
      ).count,
    )
  return async (work: () => Promise<unknown>) => {
    const before = await sent()
    await work()
    return (await sent()) > before
  }
}
