import {
  ORGANIZATION_DEFAULTS,
  ORGANIZATION_RULES,
  type OrganizationSettings,
  OWN_SETTINGS,
} from '../base/domain/organization.ts'
import { documentedName } from '../base/domain/setting-rule.ts'
import * as doc from './document-schema.ts'
import { newInput, patchInput } from './input.ts'

/** The form in the console and on the command line. */
export const ORGANIZATION = doc.record(
  {
    id: doc.integer('Id of the organization.'),
    ...doc.settingFields<OrganizationSettings>(ORGANIZATION_RULES),
    created_at: doc.instant('When it was created.'),
    updated_at: doc.instant('When its settings were last changed.'),
  },
  'An owner of a fleet and of its keys.',
  'Organization',
)

export const NEW_ORGANIZATION = newInput(
  'NewOrganization',
  ORGANIZATION_RULES,
  ORGANIZATION_DEFAULTS,
  'An organization to create.',
)

export const ORGANIZATION_PATCH = patchInput(
  'OrganizationPatch',
  ORGANIZATION_RULES,
  `The settings that change. An administrator changes ${OWN_SETTINGS.map(documentedName).join(', ')}. With any other setting it gets 403, and nothing changes.`,
)
