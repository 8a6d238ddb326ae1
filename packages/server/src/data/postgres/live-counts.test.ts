import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { emptyDatabase } from '../../../testing/servers/shared-postgres.ts'
import type { QuotaCount } from '../../base/domain/limits.ts'
import { openQuotaCounts, type PostgresQuotaCounts } from './live-counts.ts'
import { migrate } from './schema.ts'

const TODAY = 20_778

describe('The quota’s counts in PostgreSQL', () => {
  let url: string
  let counts: PostgresQuotaCounts
  const of = (organization: number, day: number, byObject: Record<number, number>): QuotaCount[] =>
    Object.entries(byObject).map(([object, hundredths]) => {
      return { organization, day, object: Number(object), hundredths }
    })

  before(async () => {
    url = await emptyDatabase()
    await migrate(url)
    counts = openQuotaCounts(url)
  })
  after(() => counts.close())

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

  it('accept any id and any amount', async () => {
    const [object, most] = [Number.MAX_SAFE_INTEGER, (2 ** 31 - 1) * 100]
    await counts.write(of(4, TODAY, { [object]: most }))
    assert.deepEqual(await counts.read(4, TODAY), new Map([[object, most]]))
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
