import type { Token } from '../api/types.ts'
import { optionsOf } from '../ui/form/Field.tsx'

export type Role = Token['role']

/** The narrowest first. */
export const ROLE_CHOICES = optionsOf<Role>({
  viewer: 'View one organization',
  administrator: 'Administer one organization',
  support: 'Read everything',
  operator: 'Do everything',
})

export const ROLE_HELP: Record<Role, string> = {
  viewer: 'It reads the map, objects, days, reports and usage of one organization.',
  administrator:
    'It reads and changes everything of one organization, except what limits it, and sees no other.',
  support: 'It reads everything in this console, of all organizations, and changes nothing.',
  operator: 'It can do everything in this console, except what lets people in.',
}

export function isInOrganization(role: Role): boolean {
  return role === 'administrator' || role === 'viewer'
}

/** The rights of a token in words. `nameOf`: the name of an organization, if known. */
export function roleInWords(
  { role, organization }: Token,
  nameOf: (organization: number) => string | undefined,
): string {
  if (organization === null) return ROLE_CHOICES.find(([each]) => each === role)![1]
  const verb = role === 'viewer' ? 'View' : 'Administer'
  return `${verb} ${nameOf(organization) ?? `organization ${organization}`}`
}
