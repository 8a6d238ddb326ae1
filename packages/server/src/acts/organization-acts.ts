import { isOperator } from '../base/domain/account.ts'
import { type OrganizationSettings, OWN_SETTINGS } from '../base/domain/organization.ts'
import { documentedName } from '../base/domain/setting-rule.ts'
import { type Actor, ADMINISTRATORS, acts, OPERATORS } from './act.ts'
import { NEW_ORGANIZATION, ORGANIZATION, ORGANIZATION_PATCH } from './organization-bodies.ts'
import { existing, operatorsOnly } from './refused.ts'

export const ORGANIZATION_ACTS = acts('Organizations', {
  createOrganization: {
    method: 'POST',
    path: '/organizations',
    who: OPERATORS,
    summary: 'Create an organization',
    takes: NEW_ORGANIZATION,
    answers: ORGANIZATION,
    async run({ store, body, now }) {
      const settings = NEW_ORGANIZATION.in(body)
      return ORGANIZATION.write(await store.organizations.create(settings, now))
    },
  },
  updateOrganization: {
    method: 'PATCH',
    path: '/organizations/{organization}',
    who: ADMINISTRATORS,
    summary: 'Change settings of an organization',
    takes: ORGANIZATION_PATCH,
    answers: ORGANIZATION,
    async run({ store, by, params, body, now }) {
      const patch = ORGANIZATION_PATCH.in(body)
      refuseLimits(by, patch)
      const updated = await store.organizations.update(params.organization!, patch, now)
      return ORGANIZATION.write(existing(updated, 'organization'))
    },
  },
  deleteOrganization: {
    method: 'DELETE',
    path: '/organizations/{organization}',
    who: OPERATORS,
    summary: 'Delete an organization and all that it owns',
    async run({ store, params }) {
      existing(await store.organizations.delete(params.organization!), 'organization')
    },
  },
})

/** Throws `Refused` if somebody of the organization itself would change what limits the organization. */
function refuseLimits({ roles }: Actor, patch: Partial<OrganizationSettings>): void {
  if (isOperator(roles)) return
  const changed = Object.keys(patch) as (keyof OrganizationSettings)[]
  const limit = changed.find((setting) => !OWN_SETTINGS.includes(setting))
  if (limit === undefined) return
  throw operatorsOnly(documentedName(limit), 'limits the organization')
}
