import type { HeldRole, Person } from '../api/types.ts'
import { t } from '../language/text.ts'
import { optionsOf } from '../ui/form/Field.tsx'

export const ROLE_NAMES: Record<HeldRole['role'], string> = {
  operator: t('Operator'),
  support: t('Support'),
  administrator: t('Administrator'),
  viewer: t('Viewer'),
}

/** The roles that can be given, the narrowest first, with what they allow. */
export const DEPLOYMENT_ROLES = optionsOf({
  support: t('Support: read everything'),
  operator: t('Operator: full access'),
})
export const ORGANIZATION_ROLES = optionsOf({
  viewer: t('Viewer: see map, vehicles, trips and reports'),
  administrator: t('Administrator: manage this organization'),
})

export function rolesOf(organization: number | null) {
  return organization === null ? DEPLOYMENT_ROLES : ORGANIZATION_ROLES
}

/** The role that people gave, and can change, in a place. Single sign-on changes those that it gave. */
export function roleIn({ roles }: Person, organization: number | null): string {
  const own = roles.find((each) => each.organization === organization && !each.is_from_sign_on)
  return own?.role ?? ''
}

/** A role, and where it holds unless `listed` says so: in the list of an organization, all roles are in it. */
export function roleInWords(
  { role, organization }: Pick<HeldRole, 'role' | 'organization'>,
  listed: number | null,
  nameOf: (organization: number) => string,
): string {
  const name = ROLE_NAMES[role]
  if (organization === null || listed !== null) return name
  return t('{{role}} in {{place}}', { role: name, place: nameOf(organization) })
}

/** The whole address of a one-time URL. */
export function linkOf(secret: string): string {
  return `${location.origin}/setup#${secret}`
}
