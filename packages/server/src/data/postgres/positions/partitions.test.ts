import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { handedClock } from '../../../../testing/handed-clock.ts'
import { SHARED } from '../../../../testing/servers/for-a-run.ts'
import { emptyDatabase } from '../../../../testing/servers/shared-postgres.ts'
import {
  ALL_TIME,
  fixAt,
  newObject,
  newOrganization,
  purge,
  recordsOf,
} from '../../../../testing/store-contract/fixture.ts'
import { packAll } from '../../../../testing/stores/packing-store.ts'
import type { Fix } from '../../../base/domain/position/fix.ts'
import { DAY_MS } from '../../../base/domain/time/time.ts'
import { WEEK_MS, weekOf } from '../../../engine/store/position-store.ts'
import { foldRules } from '../../../engine/tracking/rules/advance.ts'
import { packingRefold } from '../../../work/tasks/refold-and-pack.ts'
import { openPostgresStore } from '../open.ts'

const HOUR_MS = 3_600_000
/** The present week, as the store sees it when it opens. */
const WEEK = weekOf(Date.now())
/** A clock for which no sent fix is in the future. */
const RULES = foldRules(handedClock((WEEK + 30 * WEEK_MS) * 1_000))

async function open(t: TestContext) {
  // The tests of other files have dropped or created partitions.
  const url = await emptyDatabase()
  const store = await openPostgresStore(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.after(async () => {
    await client.end()
    await store.close()
  })
  const organization = await newOrganization(store)
  const { makeRoom } = store.positions
  return {
    client,
    store,
    organization,
    makeRoom,
    object: (ident: string) => newObject(store, organization, ident),
    async append(object: number, fixes: Fix[]) {
      const batch = fixes.map((fix) => ({ object, fix }))
      const outcomes = await store.positions.append(organization, batch, RULES)
      assert.deepEqual(new Set(outcomes), new Set(['accepted']))
    },
    records: async (object: number, from: number) =>
      recordsOf(await store.positions.history(organization, object, { ...ALL_TIME, from }, null)),
    /** The partitions with rows, and the number of shown and hidden rows in each. Citus numbers its parts of one. */
    async rows() {
      const { rows } = await client.query<{ partition: string; shown: string; hidden: string }>(`
        SELECT regexp_replace(tableoid::regclass::text, '_\\d{6}$', '') AS partition, count(*) FILTER (WHERE hidden IS NULL) AS shown,
          count(hidden) AS hidden
        FROM positions GROUP BY 1 ORDER BY 1`)
      return Object.fromEntries(
        rows.map(({ partition, shown, hidden }) => [partition, [Number(shown), Number(hidden)]]),
      )
    },
    async partitions() {
      const { rows } = await client.query<{ name: string }>(`
        SELECT inhrelid::regclass::text AS name FROM pg_inherits
        WHERE inhparent = 'positions'::regclass ORDER BY 1`)
      return rows.map(({ name }) => name)
    },
    async refoldAll() {
      await store.positions.requestRefold({ organization, object: null })
      while ((await store.positions.refold(null, RULES)) !== null);
    },
  }
}

/** For tests that look at the tables of one server. */
const plain = { skip: process.env[SHARED.citus] ? 'Citus has the rows on other servers' : false }

const nameOf = (week: number) =>
  `positions_${new Date(week).toISOString().slice(0, 10).replaceAll('-', '_')}`

/** One fix every hour from a moment on, driving. */
const drive = (from: number, hours: number) =>
  Array.from({ length: hours }, (_, hour) =>
    fixAt(from + hour * HOUR_MS, {
      latitude: 30 + ((from / HOUR_MS + hour) % 1_000) / 100,
      speed: 40,
      ignition: true,
      timeServer: from + hour * HOUR_MS,
    }),
  )

describe('The partitions of the positions', () => {
  it('are created ahead when a store is opened, and as time passes', async (t) => {
    const { makeRoom, partitions } = await open(t)
    const weeks = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, index) =>
        nameOf(WEEK + (first + index) * WEEK_MS),
      )
    assert.deepEqual(await partitions(), [...weeks(-4, 8), 'positions_default'])
    await makeRoom(WEEK + 3 * WEEK_MS)
    // The oldest ones are empty.
    assert.deepEqual(await partitions(), [...weeks(-1, 11), 'positions_default'])
  })

  it('take over rows of the default partition', async (t) => {
    const { makeRoom, append, records, object, rows } = await open(t)
    const id = await object('a')
    await append(id, drive(WEEK + 20 * WEEK_MS - 3 * HOUR_MS, 5))
    const before = await records(id, 0)
    assert.deepEqual(await rows(), { positions_default: [5, 0] })
    await makeRoom(WEEK + 20 * WEEK_MS)
    const [last, next] = [nameOf(WEEK + 19 * WEEK_MS), nameOf(WEEK + 20 * WEEK_MS)]
    assert.deepEqual(await rows(), { [last]: [3, 0], [next]: [2, 0] })
    assert.deepEqual(await records(id, 0), before)
  })

  it('can be created during writes of their week to the default partition', plain, async (t) => {
    const { client, append, object, rows } = await open(t)
    const week = WEEK - 30 * WEEK_MS
    const name = nameOf(week)
    const van = await object('a')
    await client.query('BEGIN')
    // As in `makeRoom`, stopped before its last statement.
    await client.query(`
      LOCK TABLE positions_default IN SHARE ROW EXCLUSIVE MODE;
      CREATE TABLE ${name} (LIKE positions INCLUDING ALL);
      ALTER TABLE positions ATTACH PARTITION ${name} FOR VALUES FROM (${week}) TO (${week + WEEK_MS})`)
    const appended = append(van, drive(week, 3))
    const isWaiting = `
      SELECT FROM pg_locks WHERE NOT granted AND relation = 'positions_default'::regclass`
    while ((await client.query(isWaiting)).rows.length === 0);
    await client.query('COMMIT')
    await appended
    assert.deepEqual(await rows(), { [name]: [3, 0] })
  })

  it('are dropped when few hidden rows are left, which move to the default partition', async (t) => {
    const { makeRoom, append, records, object, rows, partitions, refoldAll, store, organization } =
      await open(t)
    const [going, silent] = [await object('a'), await object('b')]
    const from = WEEK - 3 * WEEK_MS
    await append(going, drive(from, 30))
    await append(going, drive(WEEK, 3))
    await append(silent, drive(from, 5))
    await purge(store, organization, from + DAY_MS)
    await makeRoom(WEEK + 2 * WEEK_MS)
    const ofWeek = async () => (await rows())[nameOf(from)]
    assert.deepEqual(await ofWeek(), [6, 2], 'some are shown')
    await purge(store, organization, from + WEEK_MS)
    const [kept, states] = [await records(going, 0), await store.positions.states(organization)]
    await makeRoom(WEEK + WEEK_MS)
    assert.deepEqual(await ofWeek(), [0, 2], 'the week is among the last four')
    await makeRoom(WEEK + 2 * WEEK_MS)
    assert.deepEqual((await rows()).positions_default, [0, 2])
    assert.ok(!(await partitions()).includes(nameOf(from)))
    await refoldAll()
    assert.deepEqual(await records(going, 0), kept)
    // Only the position before the last one of a silent object has expired.
    const ofSilent = states.get(silent)!
    states.set(silent, { ...ofSilent, fold: { ...ofSilent.fold!, before: null } })
    assert.deepEqual(await store.positions.states(organization), states)
  })

  it('stay away while a recompute unpacks and packs old positions', async (t) => {
    const { append, object, records, rows, store, organization } = await open(t)
    const [van, bus] = [await object('a'), await object('b')]
    for (const id of [van, bus]) await append(id, drive(WEEK - 60 * WEEK_MS, 8_000))
    await packAll(store, organization)
    const before = [await records(van, 0), await records(bus, 0)]
    const { positions } = store
    await positions.requestRefold({ organization, object: null })
    const refold = packingRefold(positions, RULES, handedClock((WEEK + 30 * WEEK_MS) * 1_000))
    const unpacked: number[] = []
    while ((await refold(null)) !== null) {
      const { positions_default: [shown] = [0] } = await rows()
      unpacked.push(shown!)
    }
    const most = Math.max(...unpacked)
    assert.ok(most > 500 && most <= 5_500, `${most} rows of 16,000`)
    assert.deepEqual(await rows(), {})
    assert.deepEqual([await records(van, 0), await records(bus, 0)], before)
  })

  it('remain if they have many rows', async (t) => {
    const { client, makeRoom, object, organization, rows } = await open(t)
    const from = WEEK - 3 * WEEK_MS
    await client.query(`
      INSERT INTO positions SELECT ${organization}, ${await object('a')}, ${from} + n, 1, NULL, '', ''
      FROM generate_series(1, 10001) AS n`)
    await makeRoom(WEEK + 2 * WEEK_MS)
    assert.deepEqual(await rows(), { [nameOf(from)]: [10_001, 0] })
  })

  it('give the space of packed rows back', plain, async (t) => {
    const { client, makeRoom, append, object, records, store, organization } = await open(t)
    const objects = await Promise.all(Array.from({ length: 30 }, (_, i) => object(`${i}`)))
    for (let day = 0; day < 7; day += 1) {
      const from = WEEK - WEEK_MS + day * DAY_MS
      for (const id of objects) await append(id, drive(from, 24))
    }
    const before = await records(objects[7]!, 0)
    const sizeOf = async (table: string) => {
      const { rows } = await client.query<{ size: string }>(
        `SELECT pg_total_relation_size('${table}') AS size`,
      )
      return Number(rows[0]!.size)
    }
    const week = nameOf(WEEK - WEEK_MS)
    const rows = await sizeOf(week)
    assert.equal(await packAll(store, organization, 84), 30 * 168)
    await client.query(`VACUUM (ANALYZE) ${week}`)
    await makeRoom(WEEK + 3 * DAY_MS - 1)
    assert.ok((await sizeOf(week)) > rows / 3)
    await makeRoom(WEEK + 3 * DAY_MS)
    const [left, blocks] = [await sizeOf(week), await sizeOf('position_blocks')]
    assert.ok(left < 50_000, `${left} bytes`)
    assert.ok(left + blocks < rows / 3, `${left} and ${blocks} of ${rows} bytes`)
    assert.deepEqual(await records(objects[7]!, 0), before)
  })

  it('are left alone if others use them, or when the server stops', async (t) => {
    const { client, makeRoom, append, object, rows } = await open(t)
    await append(await object('a'), drive(WEEK - 3 * WEEK_MS, 3))
    const name = nameOf(WEEK - 3 * WEEK_MS)
    const later = WEEK + 2 * WEEK_MS
    await client.query('BEGIN')
    await client.query('LOCK TABLE positions IN ROW EXCLUSIVE MODE')
    await makeRoom(later)
    assert.deepEqual(await rows(), { [name]: [3, 0] })
    const stopping = new AbortController()
    const made = makeRoom(later, stopping.signal)
    const isWaiting = `
      SELECT FROM pg_locks
      WHERE NOT granted
        AND relation IN ('positions'::regclass, 'positions_default'::regclass, '${name}'::regclass)`
    while ((await client.query(isWaiting)).rows.length === 0);
    const begun = performance.now()
    stopping.abort()
    await made
    assert.ok(performance.now() - begun < 500)
    await client.query('ROLLBACK')
    assert.deepEqual(await rows(), { [name]: [3, 0] })
  })

  it('are dropped later if somebody reads for long, and others hardly wait for that', async (t) => {
    const { client, makeRoom, append, object, partitions } = await open(t)
    const van = await object('a')
    const later = WEEK + 12 * WEEK_MS
    await makeRoom(WEEK)
    const before = await partitions()
    await client.query('BEGIN')
    await client.query('SELECT FROM positions LIMIT 1')
    const begun = performance.now()
    let isMade = false
    const made = makeRoom(later).then(() => {
      isMade = true
    })
    let longest = 0
    for (let hour = 0; !isMade; hour += 1) {
      const asked = performance.now()
      await append(van, drive(WEEK + hour * HOUR_MS, 1))
      longest = Math.max(longest, performance.now() - asked)
    }
    await made
    assert.deepEqual(await partitions(), before)
    // Each of the 12 weeks would have waited as long.
    const took = performance.now() - begun
    assert.ok(took < 1_000, `${took} ms, and an append ${longest} ms`)
    await client.query('ROLLBACK')
    await makeRoom(later)
    const weeks = await partitions()
    assert.ok(weeks.includes(nameOf(later)) && !weeks.includes(nameOf(WEEK - WEEK_MS)), `${weeks}`)
  })

  it('are maintained by one process at a time', async (t) => {
    const { client, makeRoom, partitions } = await open(t)
    const before = await partitions()
    await client.query('SELECT pg_advisory_lock(7305462)')
    await makeRoom(WEEK + 9 * WEEK_MS)
    assert.deepEqual(await partitions(), before)
  })
})
