import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Refused } from '../../../acts/refused.ts'
import { findAdminRoute, OPERATIONS } from './admin-operations.ts'

const anyId = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })

describe('A path of the admin API', () => {
  it('leads to its operation with its ids', () => {
    for (const operation of OPERATIONS) {
      const { method, path } = operation
      const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!)
      fc.assert(
        fc.property(fc.array(anyId, { minLength: 3, maxLength: 3 }), (ids) => {
          const expected = Object.fromEntries(names.map((name, i) => [name, ids[i]!]))
          const target = path.replaceAll(/\{(\w+)\}/g, (_, name) => String(expected[name]))
          assert.deepEqual(findAdminRoute(method, target), { operation, params: expected })
        }),
        { numRuns: 10 },
      )
    }
  })

  it('is unknown with an id in another notation, and never throws', () => {
    const wrong = [
      '0',
      '01',
      '-1',
      '+1',
      '1.0',
      '1e3',
      ' 1',
      '1 ',
      '1\n',
      '٣',
      '%31',
      '',
      '1'.repeat(17),
    ]
    for (const id of wrong) {
      const found = findAdminRoute('GET', `/organizations/${id}/keys`)
      assert.ok(found instanceof Refused && found.status === 404, id)
    }
    fc.assert(
      fc.property(fc.string(), fc.string(), (method, path) => {
        assert.ok(findAdminRoute(method, `/${path}/x`) instanceof Refused)
      }),
    )
  })
})
