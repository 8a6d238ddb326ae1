import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { boolean, described, optional, texts, wholeNumber } from '../base/domain/setting-rule.ts'
import { queryInput } from './query.ts'
import { Refused } from './refused.ts'

const QUERY = queryInput<{ rows: number; isDry: boolean | null; name: readonly string[] | null }>(
  {
    rows: described(wholeNumber(1, 90), 'How many.'),
    isDry: described(optional(boolean), 'Whether it is tried.'),
    name: described(optional(texts('1 or 2 names', 2, () => true)), 'A name.'),
  },
  { rows: 7 },
)

const read = (query: string) => QUERY.in(new URLSearchParams(query))

function fieldOf(query: string): string | null {
  try {
    read(query)
    return null
  } catch (error) {
    assert.ok(error instanceof Refused)
    return error.field
  }
}

describe('The query of an act', () => {
  it('has the values that are given, and defaults or null for the others', () => {
    assert.deepEqual(read(''), { rows: 7, isDry: null, name: null })
    assert.deepEqual(read('rows=90&is_dry=false&name=a&name=b'), {
      ...{ rows: 90, isDry: false, name: ['a', 'b'] },
    })
    assert.equal(read('rows=007&other=1').rows, 7)
  })

  it('has whole numbers in plain digits within their bounds, and is rejected by their name', () => {
    for (const wrong of ['', '0', '91', '-1', '1.0', '1e1', '0x1', ' 1', '1'.repeat(16), 'NaN']) {
      assert.equal(fieldOf(`rows=${wrong}`), 'rows', wrong)
    }
  })

  it('is rejected by the name of any other value that breaks its rule, or is missing', () => {
    assert.equal(fieldOf('is_dry=yes'), 'is_dry')
    assert.equal(fieldOf('name=a&name=b&name=c'), 'name')
    const required = queryInput<{ id: number }>({ id: described(wholeNumber(1), 'An id.') })
    assert.throws(() => required.in(new URLSearchParams()), { field: 'id', message: /is required/ })
  })

  it('is described with what may be left out', () => {
    assert.deepEqual(QUERY.described, {
      rows: {
        schema: { type: 'integer', minimum: 1, maximum: 90, default: 7 },
        description: 'How many.',
      },
      is_dry: { schema: { type: 'boolean' }, description: 'Whether it is tried.' },
      name: {
        schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
        description: 'A name.',
      },
    })
  })
})
