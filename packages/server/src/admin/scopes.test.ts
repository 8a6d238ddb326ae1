import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { OPERATIONS } from './operations.ts'
import { SCOPES, scopesOf } from './scopes.ts'

const closed = OPERATIONS.filter(({ isOpen }) => !isOpen)

describe('The scopes of operations', () => {
  it('are given for each that is not open to anybody, and for nothing else', () => {
    const routes = closed.map(({ method, path }) => `${method} ${path}`)
    assert.deepEqual(Object.keys(SCOPES).sort(), routes.sort())
  })

  it('fail where an operation has none', () => {
    const added = { ...closed[0]!, path: '/added' }
    assert.throws(() => scopesOf(added), /no scopes are given for \w+ \/added/)
  })

  it('let nobody change anything who may only read', () => {
    for (const operation of closed) {
      assert.equal(scopesOf(operation).includes('read'), operation.method === 'GET', operation.id)
    }
  })
})
