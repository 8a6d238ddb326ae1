import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { recordsIn } from '../../../../testing/records-in-columns.ts'
import { isOnCitus } from '../../../../testing/servers/shared-postgres.ts'
import {
  ALL_TIME,
  fixAt,
  newFleet,
  recordsFrom,
  recordsOf,
} from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../../testing/stores/temporary-postgres-store.ts'
import type { Fix } from '../../../base/domain/position/fix.ts'
import { DAY_MS } from '../../../base/domain/time/time.ts'
import { WEEK_MS, weekOf } from '../../../engine/store/position-store.ts'
import { withNumbers } from '../connection/copy-command.ts'
import { byteaArray, int8Array } from '../connection/given-rows.ts'
import { READ } from './history-source.ts'

/** Rows of the table, written directly with the store's newest change. */
type Row = { time: number; fix: Buffer; hidden?: number }

/** The inspected part of a plan: https://www.postgresql.org/docs/15/sql-explain.html */
type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Heap Fetches'?: number
  Plans?: PlanNode[]
}

const plain = { skip: isOnCitus ? 'Citus has the plan on other servers' : false }

/** The start of a week with a partition. */
const NOW = weekOf(Date.now())

async function open(t: TestContext) {
  const { url, store, cleanUp } = await temporaryStore()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.after(async () => {
    await client.end()
    await cleanUp()
  })
  const { organization, object } = await newFleet(store)
  return {
    client,
    store,
    organization,
    object,
    history: (limit: number | null, range = ALL_TIME) =>
      store.positions.history(organization, object, range, limit),
    async put(rows: Row[], change = 0) {
      await client.query(
        `INSERT INTO positions (organization, object, time_device, change, hidden, fix, track)
         SELECT $1, $2, time, $3, hidden, fix, ''
         FROM unnest($4::int8[], $5::int8[], $6::bytea[]) AS rows (time, hidden, fix)`,
        [
          organization,
          object,
          change,
          int8Array(rows.map(({ time }) => time)),
          int8Array(rows.map(({ hidden }) => hidden ?? null)),
          byteaArray(rows.map(({ fix }) => fix)),
        ],
      )
    },
  }
}

const rowOf = (fix: Fix): Row => ({ time: fix.timeDevice, fix: recordsFrom([fix]) })

describe('A history', () => {
  it('includes several partitions, weeks without any, and the default partition', async (t) => {
    const { history, put } = await open(t)
    const weeks = [-2_500, -700, -60, -3, -1, 0, 1, 2, 7, 90, 4_000]
    const fixes = weeks.flatMap((week) =>
      Array.from({ length: 700 }, (_, index) => fixAt(NOW + week * WEEK_MS + index * 300_000)),
    )
    await put(fixes.map(rowOf))
    assert.deepEqual(await recordsOf(await history(null)), recordsFrom(fixes))
    for (const limit of [1, 699, 700, 2_499, 2_500, 6_999, 7_699, 7_700]) {
      const page = await history(limit)
      assert.deepEqual(await recordsOf(page), recordsFrom(fixes.slice(0, limit)))
      assert.equal(page.next, limit < fixes.length ? fixes[limit - 1]!.timeDevice : null)
    }
  })

  it('skips long sequences of hidden rows', async (t) => {
    const { history, put } = await open(t)
    const fixes = Array.from({ length: 9_000 }, (_, index) => fixAt(NOW + index * 1_000))
    const isHidden = (index: number) => index > 10 && index < 8_000
    await put(fixes.map((fix, index) => ({ ...rowOf(fix), ...(isHidden(index) && { hidden: 0 }) })))
    const visible = fixes.filter((_, index) => !isHidden(index))
    for (const limit of [null, 5, 11, 12, 1_010, 1_011, 2_600]) {
      const page = await history(limit)
      assert.deepEqual(await recordsOf(page), recordsFrom(visible.slice(0, limit ?? undefined)))
      const more = limit !== null && limit < visible.length
      assert.equal(page.next, more ? visible[limit - 1]!.timeDevice : null)
    }
  })

  it('is split into pieces that are encoded quickly, with any addresses', async (t) => {
    const { history, put } = await open(t)
    const address = 'x'.repeat(1_000)
    const fixes = Array.from({ length: 3_000 }, (_, index) => fixAt(NOW + index, { address }))
    await put(fixes.map(rowOf))
    const pieces: Buffer[] = []
    for await (const columns of (await history(null)).blocks) pieces.push(recordsIn(columns))
    assert.ok(pieces.every(({ length }) => length < 50 * 1_024))
    assert.deepEqual(Buffer.concat(pieces), recordsFrom(fixes))
  })

  it(
    'reads few pages of an index for a day of one object, and none of the table',
    plain,
    async (t) => {
      const { client, organization, object, put } = await open(t)
      const fixes = Array.from({ length: 20_000 }, (_, index) => fixAt(NOW + index * 10_000))
      await put(fixes.map(rowOf))
      await client.query('VACUUM positions')
      const values = [organization, object, NOW + DAY_MS - 1, NOW + 2 * DAY_MS, 9, 2_500, 5]
      const { rows } = await client.query(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${withNumbers(READ.text, values)}`,
      )
      const { Plan: plan } = rows[0]['QUERY PLAN'][0]
      const [scan, ...others] = nodesOf(plan).filter((node) =>
        node['Relation Name']?.startsWith('positions'),
      )
      assert.deepEqual(others, [])
      assert.equal(scan!['Node Type'], 'Index Only Scan')
      assert.match(scan!['Relation Name']!, /^positions_\d{4}_\d\d_\d\d$/)
      assert.equal(scan!['Actual Rows'], 2_500)
      assert.equal(scan!['Heap Fetches'], 0)
      assert.equal(nodesOf(plan).filter((node) => node['Node Type'].endsWith('Sort')).length, 0)
      const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
      assert.ok(pages < 2_500 / 25, `${pages} pages`)
    },
  )

  it('leaves nothing running or open in the server when it is abandoned', async (t) => {
    const { client, history, put } = await open(t)
    await put(Array.from({ length: 20_000 }, (_, index) => rowOf(fixAt(NOW + index * 1_000))))
    const page = await history(null)
    const others = () =>
      client.query<{ state: string; query: string }>(
        `SELECT state, query FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'COPY%'`,
      )
    for await (const block of page.blocks) {
      assert.ok(block.rows > 0)
      // The reader stops here.
      break
    }
    const deadline = performance.now() + 2_000
    for (;;) {
      const { rows } = await others()
      assert.ok(rows.length > 0)
      if (rows.every(({ state }) => state === 'idle')) break
      assert.ok(performance.now() < deadline, JSON.stringify(rows))
    }
  })
})

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}
