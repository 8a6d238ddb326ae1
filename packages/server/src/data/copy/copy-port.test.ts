import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ORGANIZATION_RULES } from '../../base/domain/organization.ts'
import { documentedName } from '../../base/domain/setting-rule.ts'
import { KINDS } from '../tables/kinds.ts'
import { ORGANIZATION_TABLES } from './copy-port.ts'

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
