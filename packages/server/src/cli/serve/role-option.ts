import { InvalidArgumentError, type Option } from 'commander'
import type { Role } from '../../serve-settings.ts'
import { option } from '../command.ts'

const ROLES: readonly Role[] = ['api', 'feed', 'admin']

export function roleOption(): Option {
  return option(
    '--role <roles>',
    'what this process does: api, feed (with the background work), admin; separated by commas, or repeated',
  )
    .default(ROLES, 'all')
    .argParser(readRoles)
}

function readRoles(written: string, before: readonly Role[]): readonly Role[] {
  const named = written.split(',').map((each) => each.trim())
  if (!named.every(isRole)) throw new InvalidArgumentError(`it must be some of ${ROLES.join(', ')}`)
  // For the first value, commander passes the default as the previous value.
  return before === ROLES ? named : [...before, ...named]
}

function isRole(name: string): name is Role {
  return (ROLES as readonly string[]).includes(name)
}
