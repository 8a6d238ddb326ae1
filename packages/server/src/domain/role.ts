/** Roles of the whole deployment. `operator` may do everything, `support` reads everything and changes nothing. */
export const DEPLOYMENT_ROLES = ['operator', 'support'] as const
/** Roles in one organization. `administrator` runs it within its limits, `viewer` looks at it and sees no secrets. */
export const ORGANIZATION_ROLES = ['administrator', 'viewer'] as const
export const ROLES = [...DEPLOYMENT_ROLES, ...ORGANIZATION_ROLES] as const
export type Role = (typeof ROLES)[number]

/** A role, and where it holds: in one organization, or (null) in the whole deployment. */
export type HeldRole = { role: Role; organization: number | null }

export function isDeploymentRole(role: Role): role is (typeof DEPLOYMENT_ROLES)[number] {
  return DEPLOYMENT_ROLES.includes(role as never)
}

/** Whether somebody with these roles may do all that `inner` allows. Nobody gives more than that to another. */
export function covers(roles: readonly HeldRole[], inner: HeldRole): boolean {
  return roles.some(({ role, organization }) => {
    if (role === 'operator') return true
    if (role === 'support') return inner.role === 'support' || inner.role === 'viewer'
    if (organization !== inner.organization) return false
    return role === 'administrator' || inner.role === 'viewer'
  })
}

/**
 * Whether somebody with the roles `by` may decide about all ways in of a person with the roles `of`. An administrator
 * may not take over a person who has a role elsewhere too.
 */
export function manages(by: readonly HeldRole[], of: readonly HeldRole[]): boolean {
  const isManaged = ({ organization }: HeldRole) =>
    by.some((each) => each.role === 'administrator' && each.organization === organization)
  return isOperator(by) || (of.length > 0 && of.every(isManaged))
}

/** Whether somebody with these roles may give and end roles in an organization, or (null) in the deployment. */
export function givesRolesIn(roles: readonly HeldRole[], organization: number | null): boolean {
  return covers(roles, { role: organization === null ? 'operator' : 'administrator', organization })
}

export function isOperator(roles: readonly HeldRole[]): boolean {
  return roles.some(({ role }) => role === 'operator')
}
