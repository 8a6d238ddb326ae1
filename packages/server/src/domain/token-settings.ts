import { type Reach, TOKEN_SCOPES } from './operator.ts'
import { ORGANIZATION_RULES } from './organization-settings.ts'
import { type Fault, oneOf, optional, type Rules, wholeNumber } from './rule.ts'

export type TokenSettings = { name: string } & Reach

export const TOKEN_RULES: Rules<TokenSettings> = {
  name: ORGANIZATION_RULES.name,
  scope: oneOf(TOKEN_SCOPES),
  organization: optional(wholeNumber(1)),
}

/** The organization is given with the scope `organization`, and with no other. */
export function reachFault({ scope, organization }: Reach): Fault | undefined {
  if (scope === 'organization' && organization === null) {
    return { field: 'organization', rule: 'must be given with the scope organization' }
  }
  if (scope !== 'organization' && organization !== null) {
    return { field: 'organization', rule: `must not be given with the scope ${scope}` }
  }
  return undefined
}
