import assert from 'node:assert/strict'
import { it } from 'node:test'
import { matchingRule, type RoutedFacts, type RoutingRule } from './routing.ts'

const rule = (id: number, more: Partial<RoutingRule>): RoutingRule => ({
  ...{ id, condition: 'ident', attribute: null, anyOf: [] },
  ...{ organizations: [1], createObjects: true, createdAt: 0 },
  ...more,
})
const RULES = [
  rule(1, { condition: 'ident', anyOf: ['a', 'b'] }),
  rule(2, { condition: 'group', anyOf: ['7', 'Depot'] }),
  rule(3, { condition: 'attribute', attribute: 'customer', anyOf: ['North', ''] }),
  rule(4, { condition: 'prefix', anyOf: ['86', '99'] }),
]

function matching(ident: string, groups: string[] = [], attributes: Record<string, string> = {}) {
  const facts: RoutedFacts = { ident, groups, attribute: (name) => attributes[name] }
  return matchingRule(RULES, facts)?.id
}

it('The first rule counts of which a value is that of the packet', () => {
  assert.equal(matching('b', ['7']), 1)
  assert.equal(matching('86', ['8', 'Depot'], { customer: 'North' }), 2)
  assert.equal(matching('86', ['8'], { customer: 'North' }), 3)
  assert.equal(matching('86', [], { customer: 'South' }), 4)
  assert.equal(matching('9', ['Dep'], { owner: 'North' }), undefined)
})
