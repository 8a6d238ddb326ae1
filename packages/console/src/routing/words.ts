import type { RoutingRule, TriedRouting } from '../api/types.ts'

export type Condition = RoutingRule['condition']

/** Values of a rule that a sentence lists. */
const LISTED = 5

/** The condition of a rule as a sentence: `The group is 12 or 14`. */
export function conditionInWords({ condition, attribute, any_of }: RoutingRule): string {
  const subjects: Record<Condition, string> = {
    ident: 'The ident is',
    prefix: 'The ident begins with',
    group: 'The group is',
    attribute: `The attribute ${attribute} is`,
  }
  const values =
    any_of.length <= LISTED
      ? listOf(any_of, 'or')
      : `${any_of.slice(0, LISTED - 1).join(', ')} or one of ${any_of.length - LISTED + 1} others`
  return `${subjects[condition]} ${values}`
}

/** The answer of a test as a sentence. `numberOf`: the number of a rule in the list, by its id. */
export function triedInWords(
  { owners, rule, organizations }: TriedRouting,
  nameOf: (organization: number) => string,
  ruleOf: (rule: number) => { number: number; rule: RoutingRule } | undefined,
): string {
  const names = listOf(organizations.map(nameOf), 'and')
  if (owners.length > 0) {
    const verb = owners.length === 1 ? 'owns' : 'own'
    return `It goes to ${names}, which ${verb} it already. Rules do not change that.`
  }
  if (rule === null) return 'It waits: no organization owns it, and no rule matches.'
  const known = ruleOf(rule)
  if (known === undefined) return `It goes to ${names}, by a rule that is new.`
  const isCreated = known.rule.create_objects
    ? ''
    : ' The rule creates no object, so the ident is listed there as a tracker without an object.'
  return `It goes to ${names}, by rule ${known.number}: ${lower(conditionInWords(known.rule))}.${isCreated}`
}

/** `A, B and C`. */
export function listOf(names: readonly string[], word: 'and' | 'or'): string {
  return names.length < 2
    ? names.join('')
    : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`
}

function lower(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}
