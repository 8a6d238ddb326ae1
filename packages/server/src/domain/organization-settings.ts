import {
  DISTANCE_UNITS,
  LANGUAGES,
  type OrganizationSettings,
  SUBSCRIPTIONS,
} from './organization.ts'
import { type Fault, firstFault, oneOf, optional, type Rule, type Rules, text } from './rule.ts'

const wholeNumber: Rule = {
  kind: 'number',
  optional: false,
  says: 'a whole number, 0 or more',
  holds: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
}

export const ORGANIZATION_RULES: Rules<OrganizationSettings> = {
  name: text(200),
  distanceUnit: oneOf(DISTANCE_UNITS),
  language: oneOf(LANGUAGES),
  subscription: oneOf(SUBSCRIPTIONS),
  dailyQuota: optional(wholeNumber),
}

export function organizationSettingsFault(patch: Partial<OrganizationSettings>): Fault | undefined {
  return firstFault(ORGANIZATION_RULES, patch)
}
