import assert from 'node:assert/strict'
import { it } from 'node:test'
import { askPostgres } from '../../../../testing/servers/ask-postgres.ts'
import { emptyDatabase } from '../../../../testing/servers/shared-postgres.ts'
import { openDatabase } from '../database.ts'
import { statement } from './connections.ts'

/** Settings that an operator may give a database, a role or a URL for other programs. */
const FOREIGN = {
  bytea_output: 'escape',
  extra_float_digits: '0',
  array_nulls: 'off',
  default_transaction_isolation: 'serializable',
  plan_cache_mode: 'force_generic_plan',
}
const VALUES = statement(`
  SELECT '\\x0041'::bytea AS bytes, 0.1::float8 + 0.2::float8 AS sum,
    ($1::float8[])[1] IS NULL AS "isNull", current_setting('transaction_isolation') AS isolation,
    current_setting('plan_cache_mode') AS plans
`)

for (const place of ['the database', 'the URL'] as const) {
  it(`values are exact and transactions see each other despite settings of ${place}`, async (t) => {
    const database = openDatabase(await withForeignSettings(place), 1)
    t.after(() => database.close())
    assert.deepEqual(await database.query(VALUES, [[null]]), [
      {
        bytes: Buffer.from([0x00, 0x41]),
        sum: 0.1 + 0.2,
        isNull: true,
        isolation: 'read committed',
        plans: 'force_custom_plan',
      },
    ])
  })
}

async function withForeignSettings(place: 'the database' | 'the URL'): Promise<string> {
  const url = await emptyDatabase()
  const settings = Object.entries(FOREIGN)
  if (place === 'the URL') {
    const options = settings.map(([name, value]) => `-c ${name}=${value}`).join(' ')
    return `${url}?options=${encodeURIComponent(options)}`
  }
  const name = new URL(url).pathname.slice(1)
  for (const [setting, value] of settings) {
    await askPostgres(url, `ALTER DATABASE ${name} SET ${setting} = '${value}'`)
  }
  return url
}
