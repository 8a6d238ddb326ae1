import type { Grant } from '../credential.ts'
import { FEED_CLIENTS, type FeedClient } from '../feed-client.ts'
import { type Reach, TOKEN_SCOPES } from '../operator.ts'
import { TEST_SCENARIOS, type TestScenario } from '../test-scenario.ts'
import { GRANT_RULES } from './grant-settings.ts'
import { ORGANIZATION_RULES } from './organization-settings.ts'
import {
  described,
  type Fault,
  matching,
  number,
  oneOf,
  optional,
  type Rules,
  wholeNumber,
} from './rule.ts'

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
export const CREDENTIAL_RULES: Rules<{ name: string }> = {
  name: described(ORGANIZATION_RULES.name, {
    description: 'Its name, by which people know it.',
    help: 'its name, by which you know it in lists',
  }),
}
/** A key with a scenario is a test key. */
export type KeySettings = { name: string; scenario: TestScenario | null } & Grant
export const KEY_RULES: Rules<KeySettings> = {
  ...CREDENTIAL_RULES,
  scenario: described(
    optional(oneOf(TEST_SCENARIOS)),
    'Makes it a test key, which opens the simulated fleet: how that answers. Null, or left out: no test key.',
  ),
  ...GRANT_RULES,
}
export type FeedTokenSettings = { name: string; client: FeedClient | null }
export const FEED_TOKEN_RULES: Rules<FeedTokenSettings> = {
  ...CREDENTIAL_RULES,
  client: described(optional(oneOf(FEED_CLIENTS)), {
    description:
      'The app that sends with it, which decides the units of its speeds and accuracies. Null, or left out: the units of the formats.',
    help: 'the app that sends with it, which decides its units (docs/feed.md)',
  }),
}
export const ROTATION_RULES: Rules<{ overlapHours: number }> = {
  overlapHours: described(
    number(0, 8_760, 'hours'),
    'Hours for which the old one stays valid too.',
  ),
}

export type TokenSettings = { name: string } & Reach

export const TOKEN_RULES: Rules<TokenSettings> = {
  ...CREDENTIAL_RULES,
  scope: described(
    oneOf(TOKEN_SCOPES),
    'The rights of a program with the token. `read`: read everything. `organization`: manage one organization, and see nothing of others. `all`: do everything that the console does.',
  ),
  organization: described(
    optional(wholeNumber(1)),
    'The organization that it manages. Null with any other scope.',
  ),
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
