import type { Steps } from './common/steps.ts'
import type { RoutedFacts, RoutingRule } from './routing.ts'

/** Rules in the form in which new idents are compared with all of them at once. */
export type RuleIndex = {
  /** The first rule whose condition holds. */
  matching(facts: RoutedFacts): RoutingRule | undefined
  /** The last of all. Undefined if there is no rule. */
  readonly last: RoutingRule | undefined
}

/** The first rule of each value, by its place among all. */
type Values = Map<string, number>

/** The first rule whose condition holds for one packet, for which an index would be too much. */
export function* matchingRule(
  rules: readonly RoutingRule[],
  facts: RoutedFacts,
): Steps<RoutingRule | undefined> {
  for (const rule of rules) {
    if (holds(rule, facts)) return rule
    yield
  }
  return undefined
}

function holds({ condition, attribute, anyOf }: RoutingRule, facts: RoutedFacts): boolean {
  switch (condition) {
    case 'ident':
      return anyOf.includes(facts.ident)
    case 'prefix':
      return anyOf.some((value) => facts.ident.startsWith(value))
    case 'group':
      return facts.groups.some((group) => anyOf.includes(group))
    case 'attribute': {
      const value = facts.attribute(attribute!)
      return value !== undefined && anyOf.includes(value)
    }
  }
}

const STEP = 100

export function* indexedRules(rules: readonly RoutingRule[]): Steps<RuleIndex> {
  const idents: Values = new Map()
  const groups: Values = new Map()
  const prefixes: Values = new Map()
  /** By the name of the attribute. */
  const attributes = new Map<string, Values>()

  function valuesOf({ condition, attribute }: RoutingRule): Values {
    if (condition !== 'attribute')
      return { ident: idents, group: groups, prefix: prefixes }[condition]
    const known = attributes.get(attribute!) ?? new Map()
    attributes.set(attribute!, known)
    return known
  }

  for (const [place, rule] of rules.entries()) {
    const values = valuesOf(rule)
    for (const [number, value] of rule.anyOf.entries()) {
      if (!values.has(value)) values.set(value, place)
      if (number % STEP === 0) yield
    }
  }
  const lengths = new Set([...prefixes.keys()].map(({ length }) => length))

  function* places({ ident, groups: own, attribute }: RoutedFacts): Generator<number | undefined> {
    yield idents.get(ident)
    for (const length of lengths) yield prefixes.get(ident.slice(0, length))
    for (const group of own) yield groups.get(group)
    for (const [name, values] of attributes) {
      const value = attribute(name)
      if (value !== undefined) yield values.get(value)
    }
  }

  return {
    last: rules.at(-1),
    matching(facts) {
      let first = rules.length
      for (const place of places(facts)) if (place !== undefined && place < first) first = place
      return rules[first]
    },
  }
}
