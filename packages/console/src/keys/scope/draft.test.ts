import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { draftOf, faultsOf, isComplete, scopeIn } from './draft.ts'

const SCOPE = {
  operations: ['positions' as const],
  objects: [7],
  data_from: '2026-12-01T00:00:00.000Z',
  data_until: null,
  attributes: ['fuel_level'],
  window_share: 3,
}

describe('The draft of a scope', () => {
  it('comes back as the scope that it began with', () => {
    for (const scope of [SCOPE, null]) assert.deepEqual(scopeIn(draftOf(scope)), scope)
  })

  it('is no scope as long as the key is not limited', () => {
    assert.equal(scopeIn({ ...draftOf(SCOPE), isLimited: false }), null)
  })

  it('is not complete while a chosen limit is empty', () => {
    const { operations, objects } = faultsOf({ ...draftOf(SCOPE), operations: [], objects: [] })
    assert.deepEqual([operations, objects], ['Choose at least one.', 'Choose at least one.'])
  })

  it('is not complete while the key is to be limited and nothing is', () => {
    assert.equal(isComplete(draftOf(null)), true)
    assert.equal(isComplete({ ...draftOf(null), isLimited: true }), false)
    assert.equal(isComplete({ ...draftOf(null), isLimited: true, window_share: 1 }), true)
  })
})
