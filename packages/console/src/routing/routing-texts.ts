import type { RoutingRule, TriedRouting } from '../api/types.ts'
import { t } from '../language/text.ts'
import { listed } from '../ui/format.ts'

export type Condition = RoutingRule['condition']

/** Values of a rule that a sentence lists. */
const LISTED = 5

/** The condition of a rule as a sentence: `The group is 12 or 14`. */
export function conditionInWords({ condition, attribute, any_of }: RoutingRule): string {
  const isLong = any_of.length > LISTED
  const named = isLong ? any_of.slice(0, LISTED - 1) : any_of
  const others = t('{{count, number}} others', { count: any_of.length - named.length })
  const values = listed(isLong ? [...named, others] : named, 'disjunction')
  const sentences: Record<Condition, string> = {
    ident: t('The ident is {{values}}', { values }),
    prefix: t('The ident starts with {{values}}', { values }),
    group: t('The group is {{values}}', { values }),
    attribute: t('The attribute {{attribute}} is {{values}}', {
      attribute: attribute ?? '',
      values,
    }),
  }
  return sentences[condition]
}

/** The answer of a test as a sentence. `numberOf`: the number of a rule in the list, by its id. */
export function triedInWords(
  { owners, rule, organizations }: TriedRouting,
  nameOf: (organization: number) => string,
  ruleOf: (rule: number) => { number: number; rule: RoutingRule } | undefined,
): string {
  const names = listed(organizations.map(nameOf))
  if (owners.length > 0) {
    return owners.length === 1
      ? t('Goes to {{names}}, which already owns it. Rules do not change this.', { names })
      : t('Goes to {{names}}, which already own it. Rules do not change this.', { names })
  }
  if (rule === null) return t('Waits, because no organization owns it and no rule matches.')
  const known = ruleOf(rule)
  if (known === undefined) return t('Goes to {{names}} by a newly added rule.', { names })
  const { number } = known
  const condition = conditionInWords(known.rule)
  const goes = t('Goes to {{names}} by rule {{number}}. {{condition}}.', {
    names,
    number,
    condition,
  })
  if (known.rule.create_objects) return goes
  return `${goes} ${t('The rule creates no object, so the ident is listed there as a tracker without an object.')}`
}
