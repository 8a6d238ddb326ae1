import type { Option } from 'commander'
import { ROLES } from '../../../domain/role.ts'
import { ROLE } from '../../../domain/settings/access-settings.ts'
import { option } from '../../command.ts'
import { id } from '../../value.ts'
import { settingReader } from '../setting-options.ts'

export function roleOption(): Option {
  return option('--role <role>', `what it allows: ${ROLES.join(', ')}; required`)
    .argParser(settingReader(ROLE))
    .makeOptionMandatory()
}

export function roleOrganizationOption(): Option {
  return option(
    '--org <id>',
    'the organization of the role; for administrator and viewer, and for no other',
  ).argParser(id)
}
