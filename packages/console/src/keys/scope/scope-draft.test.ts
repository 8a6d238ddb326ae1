import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ALL, grantFaults } from '../../grants/grant.ts'
import { draftOf, isComplete, operationsFault, scopeIn } from './scope-draft.ts'

const FROM = '2026-12-01T00:00:00.000Z'
const LIMITS = { operations: ['positions' as const], window_share: 3 }
const ONE = { objects: [7], data_from: FROM, data_until: null, attributes: ['fuel_level'] }
const GRANTS = [
  { ...ALL, objects: [7], from: FROM },
  { ...ALL, attributes: ['fuel_level'] },
]

describe('The draft of a scope', () => {
  it('comes back with the grants of the scope that it began with, and without one as none', () => {
    const { data_from: from, data_until: until, ...rest } = ONE
    const grants = [{ ...rest, from, until }]
    assert.deepEqual(scopeIn(draftOf({ ...LIMITS, ...ONE })), { ...LIMITS, grants })
    assert.deepEqual(scopeIn(draftOf({ ...LIMITS, grants: GRANTS })), { ...LIMITS, grants: GRANTS })
    assert.equal(scopeIn(draftOf(null)), null)
  })

  it('is no scope as long as the key is not limited', () => {
    assert.equal(scopeIn({ ...draftOf({ ...LIMITS, ...ONE }), isLimited: false }), null)
  })

  it('is not complete while a chosen limit is empty, or a grant ends before it begins', () => {
    const draft = draftOf({ ...LIMITS, ...ONE })
    assert.equal(isComplete(draft), true)
    assert.equal(operationsFault({ ...draft, operations: [] }), 'Choose at least one.')
    for (const part of [{ objects: [] }, { attributes: [] }, { from: FROM, until: '2026-11-30' }]) {
      const grant = { ...ALL, ...part }
      assert.equal(Object.keys(grantFaults(grant)).length, 1)
      assert.equal(isComplete({ ...draft, grants: [...draft.grants, grant] }), false)
    }
  })

  it('is not complete while the key is to be limited and nothing is', () => {
    assert.equal(isComplete(draftOf(null)), true)
    assert.equal(isComplete({ ...draftOf(null), isLimited: true }), false)
    assert.equal(isComplete({ ...draftOf(null), isLimited: true, window_share: 1 }), true)
  })
})
