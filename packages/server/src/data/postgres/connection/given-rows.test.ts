import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { emptyDatabase } from '../../../../testing/servers/shared-postgres.ts'
import { valuesOf } from '../../../../testing/values-of.ts'
import { statement } from './connection-pool.ts'
import { type Database, openDatabase } from './database.ts'
import { byteaArray, int8Array } from './given-rows.ts'

const NUMBERS = statement('SELECT value FROM unnest($1::int8[]) AS value')
const BYTES = statement('SELECT value FROM unnest($1::bytea[]) AS value')

const anyNumber = fc.option(fc.maxSafeInteger())
const anyBytes = fc.option(fc.uint8Array({ maxLength: 300 }))

describe('An array in the binary format', () => {
  let database: Database
  before(async () => {
    database = openDatabase(await emptyDatabase())
  })
  after(() => database.close())

  it('has the same integers in the server', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyNumber), async (numbers) => {
        const rows = await database.query<{ value: number | null }>(NUMBERS, [int8Array(numbers)])
        assert.deepEqual(valuesOf(rows, 'value'), numbers)
      }),
    )
  })

  it('has the same bytes in the server', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyBytes), async (all) => {
        const rows = await database.query<{ value: Buffer | null }>(BYTES, [byteaArray(all)])
        assert.deepEqual(
          rows.map(({ value }) => value && new Uint8Array(value)),
          all,
        )
      }),
    )
  })
})
