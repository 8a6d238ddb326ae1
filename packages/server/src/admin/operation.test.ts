import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { OPERATIONS } from './operations/operations.ts'

describe('The scopes of operations', () => {
  it('are missing only where nobody has signed in yet', () => {
    const open = OPERATIONS.filter(({ scopes }) => scopes === null)
    assert.deepEqual(
      open.map(({ id }) => id),
      ['getSession', 'setUp', 'signIn'],
    )
  })

  it('allow no change with read scope', () => {
    for (const { id, method, scopes } of OPERATIONS) {
      if (scopes !== null) assert.equal(scopes.includes('read'), method === 'GET', id)
    }
  })
})
