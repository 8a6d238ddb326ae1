import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { RoutingRule } from '../api/types.ts'
import { conditionInWords, triedInWords } from './routing-texts.ts'

const RULE: RoutingRule = {
  ...{ id: 7, condition: 'prefix', attribute: null, any_of: ['86'], organizations: [2] },
  ...{ create_objects: false, created_at: '2026-11-20T10:00:00Z' },
  ...{ placed_idents: 0, last_placed_at: null },
}

it('a condition with many values names the first ones and the number of the others', () => {
  const any_of = ['1', '2', '3', '4', '5', '6', '7']
  assert.equal(
    conditionInWords({ ...RULE, any_of }),
    'The ident starts with 1, 2, 3, 4, or 3 others',
  )
})

it('a test names the rule that decides, and that it creates no object', () => {
  const tried = { ident: '861', owners: [], rule: 7, organizations: [2] }
  const nameOf = () => 'North'
  assert.equal(
    triedInWords(tried, nameOf, () => ({ number: 1, rule: RULE })),
    'Goes to North by rule 1. The ident starts with 86. The rule creates no object, so the ident is listed there as a tracker without an object.',
  )
  // The rule was added after the page loaded its list.
  assert.equal(
    triedInWords(tried, nameOf, () => undefined),
    'Goes to North by a newly added rule.',
  )
})

it('a test of an ident with owners names them', () => {
  const tried = { ident: '861', owners: [2, 3], rule: null, organizations: [2, 3] }
  assert.equal(
    triedInWords(
      tried,
      (id) => `Fleet ${id}`,
      () => undefined,
    ),
    'Goes to Fleet 2 and Fleet 3, which already own it. Rules do not change this.',
  )
})
