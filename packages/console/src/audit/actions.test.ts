import assert from 'node:assert/strict'
import { it } from 'node:test'
import { AUDIT_ACTIONS } from '../../../server/src/base/domain/audit-entry.ts'
import { actionInWords } from './actions.ts'

it('each action of the audit log has words of its own', () => {
  assert.ok(AUDIT_ACTIONS.length > 70)
  const words = AUDIT_ACTIONS.map(actionInWords)
  for (const each of words) assert.match(each, /^[A-Z][A-Za-z -]+$/)
  assert.deepEqual(
    words.filter((each, at) => words.indexOf(each) !== at),
    [],
  )
})
