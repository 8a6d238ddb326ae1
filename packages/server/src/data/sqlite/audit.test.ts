import assert from 'node:assert/strict'
import { it } from 'node:test'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import { ENTRIES_OF_ONE } from '../tables/audit-tables.ts'

it('finds the audit entries of one organization by an index, in order', async (t) => {
  const { inspect } = await temporaryStore(t)
  const plan = inspect()
    .prepare(`EXPLAIN QUERY PLAN ${ENTRIES_OF_ONE}`)
    .all({ 1: 100, 2: 10, 3: 1 })
  const [search, ...others] = plan.map(({ detail }) => String(detail))
  assert.match(search!, /^SEARCH .* USING INDEX audit_log_by_organization \(organization=\? AND /)
  assert.deepEqual(others, [])
})
