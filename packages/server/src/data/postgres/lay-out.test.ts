import assert from 'node:assert/strict'
import { it } from 'node:test'
import { TABLES } from '../tables/shared-tables.ts'
import { ALL_TABLES } from './lay-out.ts'

it('Every table has a place in a Citus, and is shrunk', () => {
  const names = TABLES.map(({ name }) => name)
  assert.deepEqual([...new Set(names).difference(new Set(ALL_TABLES))], [])
})
