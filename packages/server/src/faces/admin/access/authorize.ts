import { notFound, Refused } from '../../../acts/refused.ts'
import type { HeldRole } from '../../../base/domain/account.ts'
import type { AdminOperation, Call, Caller } from '../admin-api.ts'

/**
 * Throws `Refused` if an operation is not open to this caller: 403, or 404 for any organization in which the caller has
 * no role, whether it exists or not.
 */
export function admit(
  { roles, account, isHalfway }: Caller,
  { who, isForPeople, needsNoCodes }: Pick<AdminOperation, 'who' | 'isForPeople' | 'needsNoCodes'>,
  { organization }: Call['params'],
): void {
  if (account === null && (who === 'people' || isForPeople === true)) {
    throw new Refused(403, 'not_a_person', 'tokens cannot do this; sign in as a person')
  }
  if (who === 'everybody') return
  if (isHalfway && needsNoCodes !== true) {
    throw new Refused(
      403,
      'second_factor_required',
      'set up two-factor authentication first: this deployment requires it',
    )
  }
  if (who === 'people') return
  const held = organization === undefined ? roles : heldIn(roles, organization)
  if (organization !== undefined && held.length === 0) throw notFound('organization')
  if (held.some(({ role }) => who.includes(role))) return
  const own = [...new Set(held.map(({ role }) => role))].join(', ')
  throw new Refused(
    403,
    'beyond_role',
    `${own === '' ? 'your account has no role' : `the role ${own} may not do this`}; this requires the role ${who.join(' or ')}`,
  )
}

/** The roles that hold in an organization: its own, and those of the deployment. */
function heldIn(roles: readonly HeldRole[], organization: number): HeldRole[] {
  return roles.filter((each) => each.organization === null || each.organization === organization)
}
