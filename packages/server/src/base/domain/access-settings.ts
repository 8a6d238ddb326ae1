import { DEPLOYMENT_ROLES, foldEmail, type HeldRole, ORGANIZATION_ROLES, ROLES } from './account.ts'
import {
  DISCLOSEE_RULES,
  type Disclosee,
  FEED_CLIENTS,
  type FeedClient,
  TEST_SCENARIOS,
  type TestScenario,
} from './credential.ts'
import { GRANTS_RULE, type GrantSettings } from './grant.ts'
import { ORGANIZATION_RULES } from './organization.ts'
import {
  boolean,
  described,
  matching,
  number,
  oneOf,
  optional,
  type Rules,
  text,
} from './setting-rule.ts'

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
    description: 'Its name in lists and in the audit log.',
    help: 'its name in lists and in the audit log',
  }),
}
/** A key with a scenario is a test key. */
type KeySettings = { name: string; scenario: TestScenario | null } & Disclosee
export const KEY_RULES: Rules<KeySettings> = {
  ...CREDENTIAL_RULES,
  scenario: described(
    optional(oneOf(TEST_SCENARIOS)),
    'The scenario of a test key: how the simulated fleet answers. Null or absent: it is not a test key.',
  ),
  ...DISCLOSEE_RULES,
}
type LinkSettings = {
  name: string
  grants: readonly Partial<GrantSettings>[]
  showsWay: boolean
} & Disclosee
export const LINK_RULES: Rules<LinkSettings> = {
  ...CREDENTIAL_RULES,
  ...DISCLOSEE_RULES,
  grants: described(GRANTS_RULE, {
    description: 'All that its viewers see.',
    help: 'what its viewers see',
  }),
  showsWay: described(boolean, {
    description:
      'Whether it shows where each object was since its grant began. A grant without `from` begins when the link was created, and rotating the link does not change that.',
    help: 'show where each object was since its grant began',
  }),
}
type FeedTokenSettings = { name: string; client: FeedClient | null }
export const FEED_TOKEN_RULES: Rules<FeedTokenSettings> = {
  ...CREDENTIAL_RULES,
  client: described(optional(oneOf(FEED_CLIENTS)), {
    description:
      'The app that sends with it, which decides the units of its speeds and accuracies. Null or absent: the units of the formats.',
    help: 'the app that sends with it, which decides its units (docs/feed.md)',
  }),
}
export const ROTATION_RULES: Rules<{ overlapHours: number }> = {
  overlapHours: described(
    number(0, 8_760, 'hours'),
    'Hours for which the old one stays valid too.',
  ),
}

/**
 * An address that somebody may have. Nothing is sent to it, so it is not verified. It is kept folded, which may bring
 * characters that were not typed: `＠` becomes `@`, and one character of Arabic four words.
 */
export const EMAIL = described(
  matching(
    'an e-mail address of 3 to 254 characters',
    (value) => [value, foldEmail(value)].every(isAddress),
    { minLength: 3, maxLength: 254 },
  ),
  'The e-mail address, with which the person signs in. It is not case-sensitive.',
)

function isAddress(value: string): boolean {
  return value.length <= 254 && /^[^\s@<>]+@[^\s@<>]+$/u.test(value) && text(254).holds(value)
}

/** The audit log names a person as `name <address>`, so no name may look like an address. */
export const PERSON_NAME = described(
  {
    ...ORGANIZATION_RULES.name,
    says: `${ORGANIZATION_RULES.name.says}, without < and >`,
    holds: (value) => ORGANIZATION_RULES.name.holds(value) && !/[<>]/.test(value as string),
  },
  {
    description: 'The name of the person.',
    help: 'the name of the person',
  },
)

export const DEPLOYMENT_ROLE = described(
  oneOf(DEPLOYMENT_ROLES),
  'A role in the whole deployment. `operator`: do everything. `support`: read everything.',
)
export const ORGANIZATION_ROLE = described(
  oneOf(ORGANIZATION_ROLES),
  'A role in the organization. `administrator`: do everything in it, except change its limits. `viewer`: read its map, objects, days, reports and usage.',
)
export const ROLE = described(oneOf(ROLES), {
  description: `${DEPLOYMENT_ROLE.description} ${ORGANIZATION_ROLE.description}`,
  help: 'what it allows',
})

export type TokenSettings = { name: string; role: HeldRole['role'] }
/** The settings of a token of the deployment, and of one of an organization. */
export const TOKEN_RULES: Record<'deployment' | 'organization', Rules<TokenSettings>> = {
  deployment: { ...CREDENTIAL_RULES, role: DEPLOYMENT_ROLE },
  organization: { ...CREDENTIAL_RULES, role: ORGANIZATION_ROLE },
}

export type InvitationSettings = { email: string; role: HeldRole['role'] }
export const INVITATION_RULES: Record<'deployment' | 'organization', Rules<InvitationSettings>> = {
  deployment: { email: EMAIL, role: DEPLOYMENT_ROLE },
  organization: { email: EMAIL, role: ORGANIZATION_ROLE },
}
