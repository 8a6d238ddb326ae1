import { ORGANIZATION_RULES } from './organization-settings.ts'
import { described, type Rules } from './rule.ts'

/** The fields of a saved mapping that an operator changes. */
export const MAPPING_RULES: Rules<{ name: string }> = {
  name: described(ORGANIZATION_RULES.name, 'The name by which operators know such files.'),
}
