import type { Option } from 'commander'
import {
  GRANT_RULES,
  GRANTS_RULE,
  type GrantSettings,
  type grantDocument,
} from '../../base/domain/grant.ts'
import { breach, findingIn, type Rule } from '../../base/domain/setting-rule.ts'
import { option } from '../command.ts'
import { UsageError } from '../failure.ts'
import { orAll } from '../options.ts'

/*
 * `--grant 'objects=1,2;from=2026-11-20;until=2026-11-21;attributes=fuel'`, once for each grant. A part that is left
 * out, or is `all`, limits nothing.
 */

const ALL = 'all'
const EXAMPLE = "'objects=1,2;from=2026-11-20T08:00:00Z;until=2026-11-21;attributes=fuel'"

/** `instead`: the options that it replaces. */
export function grantOption(instead = ''): Option {
  const help = `objects, times and attributes that can be read, such as ${EXAMPLE}; repeat it for several grants${instead}; ${ALL} removes them`
  return option('--grant <grant>', help).argParser(
    (written, before: readonly Partial<GrantSettings>[] | '' | undefined) =>
      written === ALL ? '' : checked([...(before || []), grantIn(written)], written),
  )
}

/** The given grants as `grants` of a body. */
export function givenGrants({ grant }: Readonly<Record<string, unknown>>) {
  return grant === undefined ? {} : { grants: grant === '' ? null : grant }
}

function checked(grants: readonly Partial<GrantSettings>[], written: string) {
  const found = findingIn(GRANTS_RULE, grants)
  if (found === undefined) return grants
  throw new UsageError(`--grant ${breach(GRANTS_RULE, written, found)}`)
}

function grantIn(written: string): Partial<GrantSettings> {
  const parts = written.split(';').map((part) => {
    const [name = '', value] = part.split(/=(.*)/s).map((each) => each.trim())
    const rule: Rule | undefined = Object.hasOwn(GRANT_RULES, name)
      ? GRANT_RULES[name as keyof GrantSettings]
      : undefined
    if (rule === undefined || value === undefined) {
      throw new UsageError(`--grant must have the form ${EXAMPLE}; '${part}' is not valid`)
    }
    const read = orAll(rule, ALL, `grant ${name}`)(value)
    return [name, read === '' ? null : read]
  })
  return Object.fromEntries(parts)
}

/** A grant in the syntax of the option. */
export function grantText(grant: ReturnType<typeof grantDocument>): string {
  const limits = Object.entries(grant).filter(([, limit]) => limit !== null)
  return limits.map(([name, limit]) => `${name}=${limit}`).join(';') || `objects=${ALL}`
}
