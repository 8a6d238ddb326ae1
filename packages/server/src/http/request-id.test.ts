import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newRequestId } from './request-id.ts'

it('no id repeats, however many are made', () => {
  const ids = Array.from({ length: 5_000 }, newRequestId)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^[0-9a-f]{24}$/)
})
