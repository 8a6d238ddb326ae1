import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runAtOnce } from './common/steps.ts'
import { indexedRules, matchingRule, type RoutedFacts, type RoutingRule } from './routing-rule.ts'

const rule = (id: number, more: Partial<RoutingRule>): RoutingRule => ({
  ...{ id, condition: 'ident', attribute: null, anyOf: [] },
  ...{ organizations: [1], createObjects: true, createdAt: 0, placedIdents: 0, lastPlacedAt: null },
  ...more,
})
const RULES = [
  rule(1, { condition: 'ident', anyOf: ['a', 'b'] }),
  rule(2, { condition: 'group', anyOf: ['7', 'Depot'] }),
  rule(3, { condition: 'attribute', attribute: 'customer', anyOf: ['North', ''] }),
  rule(4, { condition: 'prefix', anyOf: ['86', '99'] }),
  rule(5, { condition: 'prefix', anyOf: ['9', '861'] }),
  rule(6, { condition: 'attribute', attribute: 'owner', anyOf: ['North'] }),
  rule(7, { condition: 'ident', anyOf: ['b', 'c'] }),
]

const INDEX = runAtOnce(indexedRules(RULES))

function matching(ident: string, groups: string[] = [], attributes: Record<string, string> = {}) {
  const facts: RoutedFacts = { ident, groups, attribute: (name) => attributes[name] }
  const found = INDEX.matching(facts)
  assert.equal(runAtOnce(matchingRule(RULES, facts)), found, 'without an index')
  return found?.id
}

it('The first rule counts of which a value is that of the packet', () => {
  assert.equal(matching('b', ['7']), 1)
  assert.equal(matching('86', ['8', 'Depot'], { customer: 'North' }), 2)
  assert.equal(matching('86', ['8'], { customer: 'North' }), 3)
  assert.equal(matching('86', [], { customer: 'South' }), 4)
  assert.equal(matching('8', ['Dep'], { owner: 'South' }), undefined)
  assert.equal(matching('861'), 4, 'also where a later rule has a longer beginning')
  assert.equal(matching('9'), 5)
  assert.equal(matching('8', ['Dep'], { owner: 'North' }), 6)
  assert.deepEqual([matching('b'), matching('c')], [1, 7])
  assert.equal(INDEX.last?.id, 7)
})
