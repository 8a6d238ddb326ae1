import { type Reach, TOKEN_SCOPES } from '../operator.ts'
import { TEST_SCENARIOS, type TestScenario } from '../test-scenario.ts'
import { ORGANIZATION_RULES } from './organization-settings.ts'
import { type Fault, matching, number, oneOf, optional, type Rules, wholeNumber } from './rule.ts'

const PASSWORD_LENGTH = { minLength: 12, maxLength: 200 }

/** Length only, as in NIST SP 800-63B: rules of composition make passwords worse. */
export const PASSWORD = matching(
  `${PASSWORD_LENGTH.minLength} to ${PASSWORD_LENGTH.maxLength} characters`,
  (value) => {
    const { length } = [...value]
    return length >= PASSWORD_LENGTH.minLength && length <= PASSWORD_LENGTH.maxLength
  },
  PASSWORD_LENGTH,
)

/** API keys and feed tokens. */
export const CREDENTIAL_RULES: Rules<{ name: string }> = { name: ORGANIZATION_RULES.name }
/** A key with a scenario is a test key. */
export type KeySettings = { name: string; scenario: TestScenario | null }
export const KEY_RULES: Rules<KeySettings> = {
  ...CREDENTIAL_RULES,
  scenario: optional(oneOf(TEST_SCENARIOS)),
}
export const ROTATION_RULES: Rules<{ overlapHours: number }> = {
  overlapHours: number(0, 8_760, 'hours'),
}

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
