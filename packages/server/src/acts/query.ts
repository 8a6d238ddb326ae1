import { breach, documentedName, type Rule, type Rules } from '../base/domain/setting-rule.ts'
import { invalid } from './refused.ts'

/** A parameter behind the `?` of a path, as the description of the admin API has it. */
export type QueryParameter = {
  schema: object
  description: string
  isRequired?: boolean
  /** Whether the values of a list are separated by commas. Otherwise the name is repeated. */
  isJoined?: boolean
}

/** The query that an act takes: the parameters that describe it, and the function that reads them. */
export type QueryInput<Values> = {
  described: Readonly<Record<string, QueryParameter>>
  rules: Rules<Values>
  defaults: Partial<Values>
  /** Throws `Refused` with the first parameter that is missing or breaks its rule. */
  in(query: URLSearchParams): Values
}

/** A parameter for each value. Without a default it is null if its rule allows that, or required. */
export function queryInput<Values extends object>(
  rules: Rules<Values>,
  defaults: Partial<Values> = {},
): QueryInput<Values> {
  const parameters = Object.entries<Rule>(rules).map(([key, rule]) => ({
    ...{ key, rule, name: documentedName(key) },
    absent: defaults[key as keyof Values] ?? (rule.optional ? null : undefined),
  }))
  return {
    ...{ rules, defaults },
    described: Object.fromEntries(
      parameters.map(({ name, rule: { schema, description = '' }, absent }) => [
        name,
        {
          schema: { ...schema, ...((absent ?? null) !== null && { default: absent }) },
          description,
          ...(absent === undefined && { isRequired: true }),
        },
      ]),
    ),
    in(query) {
      const values: Record<string, unknown> = {}
      for (const { key, rule, name, absent } of parameters) {
        const given = query.has(name)
        if (!given && absent === undefined) {
          throw invalid({ field: name, rule: `is required and must be ${rule.says}` })
        }
        const value = given ? givenValue(rule, query.getAll(name)) : absent
        if (!rule.holds(value)) throw invalid({ field: name, rule: breach(rule, value) })
        values[key] = value
      }
      return values as Values
    },
  }
}

/** The first value counts, if a parameter takes one. */
function givenValue({ schema: { type } }: Rule, written: readonly string[]): unknown {
  const text = written[0]!
  if (type === 'array') return written
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return type === 'integer' && /^\d{1,16}$/.test(text) ? Number(text) : text
}
