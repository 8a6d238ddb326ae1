import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { anyRecord } from '../../../testing/any-record.ts'
import type { LevelChange } from '../../base/domain/record.ts'
import { narrowingOf } from './narrowing.ts'

const anyChange = anyRecord.filter((record): record is LevelChange => record.kind === 'level')
const anyMargin = fc.constantFrom(-1, 0, 1)

it('A change of level is shown if all values from which its numbers come are', () => {
  fc.assert(
    fc.property(anyChange, anyMargin, anyMargin, (record, before, after) => {
      const { from, to } = record.reach
      const grant = { objects: [1], from: from - before, until: to + after, attributes: null }
      const narrowing = narrowingOf({ operations: null, grants: [grant], windowShare: null })
      const owned = { object: 1, id: 1, revision: 1, updatedAt: 0, record, checkpoint: null }
      const isShown = before >= 0 && after >= 0
      assert.deepEqual(narrowing.record(owned, []), isShown ? [owned] : [])
    }),
  )
})
