import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { emptyDatabase } from '../../../testing/servers/shared-postgres.ts'
import type { QuotaCount } from '../../domain/quota-count.ts'
import { statement } from './connection/connections.ts'
import { type Database, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { openQuotaCounts, type PostgresQuotaCounts } from './quota-counts.ts'

const TODAY = 20_778

describe('The quota’s counts in PostgreSQL', () => {
  let url: string
  let counts: PostgresQuotaCounts
  let database: Database
  const of = (organization: number, day: number, byObject: Record<number, number>): QuotaCount[] =>
    Object.entries(byObject).map(([object, hundredths]) => {
      return { organization, day, object: Number(object), hundredths }
    })

  before(async () => {
    url = await emptyDatabase()
    await migrate(url)
    counts = openQuotaCounts(url)
    database = openDatabase(url)
  })
  after(() => Promise.all([counts.close(), database.close()]))

  /** The counters of today as an earlier build reads them. */
  async function releasedRead(organization: number): Promise<Map<number, number>> {
    const text = 'SELECT object, count FROM quota_counts WHERE organization = $1 AND day = $2'
    const values = [organization, TODAY]
    const rows = await database.query<{ object: number; count: number }>(statement(text), values)
    return new Map(rows.map(({ object, count }) => [object, count]))
  }

  /** Writes counters of today as an earlier build does. */
  async function releasedWrite(organization: number, byObject: Record<number, number>) {
    const text = `
      INSERT INTO quota_counts (organization, day, object, count) VALUES ($1, $2, $3, $4)
      ON CONFLICT (organization, day, object)
      DO UPDATE SET count = excluded.count WHERE quota_counts.count < excluded.count`
    for (const [object, count] of Object.entries(byObject)) {
      await database.run(statement(text), [organization, TODAY, Number(object), count])
    }
  }

  it('are read by organization and day', async () => {
    await counts.write([...of(1, TODAY, { 7: 3, 8: 1 }), ...of(2, TODAY, { 9: 5 })])
    assert.deepEqual(
      await counts.read(1, TODAY),
      new Map([
        [7, 3],
        [8, 1],
      ]),
    )
    assert.deepEqual(await counts.read(2, TODAY), new Map([[9, 5]]))
    assert.deepEqual(await counts.read(1, TODAY - 1), new Map())
  })

  it('never decrease, in any order of writers', async () => {
    await counts.write(of(3, TODAY, { 1: 5, 2: 5 }))
    await counts.write(of(3, TODAY, { 1: 4, 2: 6 }))
    assert.deepEqual(
      await counts.read(3, TODAY),
      new Map([
        [1, 5],
        [2, 6],
      ]),
    )
  })

  it('are exact in hundredths, beside the units rounded up that an earlier build reads', async () => {
    await counts.write(of(8, TODAY, { 1: 250, 2: 300, 3: 1, 4: (2 ** 31 - 1) * 100 }))
    assert.deepEqual(
      await counts.read(8, TODAY),
      new Map([
        [1, 250],
        [2, 300],
        [3, 1],
        [4, (2 ** 31 - 1) * 100],
      ]),
    )
    assert.deepEqual(
      await releasedRead(8),
      new Map([
        [1, 3],
        [2, 3],
        [3, 1],
        [4, 2 ** 31 - 1],
      ]),
    )
  })

  it('are the units of an earlier build while it has raised them', async () => {
    await releasedWrite(9, { 1: 2, 2: 2, 3: 2 })
    assert.deepEqual(
      await counts.read(9, TODAY),
      new Map([
        [1, 200],
        [2, 200],
        [3, 200],
      ]),
    )
    await counts.write(of(9, TODAY, { 1: 201, 2: 199, 3: 150 }))
    await releasedWrite(9, { 2: 3, 3: 1 })
    assert.deepEqual(
      await counts.read(9, TODAY),
      new Map([
        [1, 201],
        [2, 300],
        [3, 150],
      ]),
    )
    await counts.write(of(9, TODAY, { 2: 250 }))
    assert.equal((await counts.read(9, TODAY)).get(2), 250)
    await counts.write(of(9, TODAY, { 2: 249 }))
    assert.equal((await counts.read(9, TODAY)).get(2), 250)
  })

  it('accept any id', async () => {
    const object = Number.MAX_SAFE_INTEGER
    await counts.write(of(4, TODAY, { [object]: 1 }))
    assert.deepEqual(await counts.read(4, TODAY), new Map([[object, 1]]))
  })

  it('are deleted after the following day, for one organization at a time', async () => {
    for (const day of [TODAY - 2, TODAY - 1, TODAY]) {
      await counts.write([...of(5, day, { 1: 1 }), ...(day < TODAY ? of(6, day, { 1: 1 }) : [])])
    }
    const left = async (organization: number) => {
      const days = [TODAY - 2, TODAY - 1, TODAY]
      return Promise.all(days.map(async (day) => (await counts.read(organization, day)).size))
    }
    assert.deepEqual(await left(5), [0, 1, 1])
    assert.deepEqual(await left(6), [1, 1, 0])
  })

  it('are written by many at once', async () => {
    const writers = Array.from({ length: 4 }, () => openQuotaCounts(url))
    const byObject = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [i + 1, 0]))
    await Promise.all(
      writers.flatMap((writer, i) =>
        [1, 2, 3].map((round) => {
          const all = Object.keys(byObject).map((object): [string, number] => [
            object,
            round * 4 + i,
          ])
          return writer.write(of(7, TODAY, Object.fromEntries(i % 2 === 0 ? all : all.reverse())))
        }),
      ),
    )
    await Promise.all(writers.map((writer) => writer.close()))
    const read = await counts.read(7, TODAY)
    assert.equal(read.size, 500)
    assert.ok([...read.values()].every((count) => count === 15))
  })
})
