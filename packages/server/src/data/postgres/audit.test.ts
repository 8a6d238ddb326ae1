import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg from 'pg'
import { temporaryStore } from '../../../testing/stores/temporary-postgres-store.ts'
import { ENTRIES_OF_ONE } from '../tables/audit-tables.ts'
import { withNumbers } from './connection/copy-command.ts'

it('finds the audit entries of one organization by an index, in order', async () => {
  const { url, cleanUp } = await temporaryStore()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`
      INSERT INTO audit_log (at, actor, action, organization)
      SELECT n, 'console', 'key.issue', n % 200 FROM generate_series(1, 20000) AS n`)
    await client.query('ANALYZE audit_log')
    const values = [Number.MAX_SAFE_INTEGER, 10, 7]
    const text = `EXPLAIN (ANALYZE, FORMAT JSON) ${withNumbers(ENTRIES_OF_ONE, values)}`
    const { Plan: limit } = (await client.query(text)).rows[0]['QUERY PLAN'][0]
    const [scan] = limit.Plans
    assert.equal(scan['Index Name'], 'audit_log_by_organization')
    assert.equal(scan['Scan Direction'], 'Backward')
    assert.equal(scan['Actual Rows'], 10)
  } finally {
    await client.end()
    await cleanUp()
  }
})
