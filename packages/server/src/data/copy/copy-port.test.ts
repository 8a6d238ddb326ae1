import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ORGANIZATION_RULES } from '../../base/domain/organization.ts'
import { documentedName } from '../../base/domain/setting-rule.ts'
import { KINDS } from '../tables/item-columns.ts'
import { TABLES } from '../tables/shared-tables.ts'
import { ARCHIVED } from './archived-tables.ts'
import { DEPLOYMENT_TABLES, ORGANIZATION_TABLES } from './copy-port.ts'

/** Tables that a copy leaves out. */
const LEFT_OUT = [
  // Positions are copied as rows, and packed again.
  ...['position_blocks', 'block_counts'],
  // Rows that are about to be deleted, and those that servers hold for some seconds.
  ...['purges', 'record_leases', 'webhook_leases', 'new_objects'],
]

const COPIED = [...ORGANIZATION_TABLES, ...DEPLOYMENT_TABLES].map(({ name }) => name)

it('A copy takes every table along, except those that are left out on purpose', () => {
  const names = TABLES.map(({ name }) => name)
  const missing = new Set(names).difference(new Set([...COPIED, ...LEFT_OUT]))
  assert.deepEqual([...missing], [])
})

it('An archive has a rule for every copied table', () => {
  assert.deepEqual(Object.keys(ARCHIVED).sort(), COPIED.toSorted())
})

describe('A copy of an organization', () => {
  it('takes all its settings along', () => {
    const copied = ORGANIZATION_TABLES.find(({ name }) => name === 'organizations')
    const columns = Object.keys(ORGANIZATION_RULES).map(documentedName)
    assert.deepEqual(
      columns.filter((column) => !(column in copied!.columns)),
      [],
    )
  })

  for (const { table, columns } of Object.values(KINDS)) {
    it(`takes every setting of its ${table} along`, () => {
      const copied = ORGANIZATION_TABLES.find(({ name }) => name === table)
      const missing = Object.values(columns).filter((column) => !(column in copied!.columns))
      assert.deepEqual(missing, [])
    })
  }
})
