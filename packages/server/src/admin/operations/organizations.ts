import type { Fleet } from '../../directory/fleet.ts'
import {
  ORGANIZATION_DEFAULTS,
  type Organization,
  type OrganizationSettings,
} from '../../domain/organization.ts'
import { lastSignal } from '../../domain/position/signal.ts'
import { wholeUnits } from '../../domain/quota-count.ts'
import { ORGANIZATION_RULES, OWN_SETTINGS } from '../../domain/settings/organization-settings.ts'
import { documentedName } from '../../domain/settings/rule.ts'
import { DAY_MS, utcDay } from '../../domain/time/time.ts'
import { takeTurn } from '../../domain/turn.ts'
import { QuotaUnavailable } from '../../realtime/realtime.ts'
import type { AdminApi, Call, Caller } from '../admin-api.ts'
import { newSettingsIn, settingsIn } from '../body.ts'
import { organizationDocument } from '../encode.ts'
import { type AdminOperation, ALL, MANAGE, READ } from '../operation.ts'
import { notFound, operatorsOnly } from '../refused.ts'

const TAG = 'Organizations'
const REFUSED = 429

export const ORGANIZATION_OPERATIONS: AdminOperation[] = [
  {
    id: 'listOrganizations',
    method: 'GET',
    path: '/organizations',
    scopes: READ,
    tag: TAG,
    summary: "List organizations with today's figures",
    query: {
      search: { schema: { type: 'string' }, description: 'A part of the name, or the id.' },
    },
    status: 200,
    answers: 'organizations',
    async run({ api, caller, query, now }) {
      const sought = (query.get('search') ?? '').trim().toLowerCase()
      const { organization: only } = caller!.credential
      const all = await api.store.organizations.list()
      const found = all.filter(
        ({ id, name }) =>
          (only === null || id === only) &&
          (String(id) === sought || name.toLowerCase().includes(sought)),
      )
      const requests = await requestsToday(api, now)
      await api.directory.catchUp()
      const items = []
      for (const organization of found) {
        await takeTurn()
        items.push(await summaryOf(api, organization, requests.get(organization.id), now))
      }
      return { items }
    },
  },
  {
    id: 'createOrganization',
    method: 'POST',
    path: '/organizations',
    scopes: ALL,
    tag: TAG,
    summary: 'Create an organization',
    takes: 'newOrganization',
    status: 201,
    answers: 'organization',
    async run({ store, body, now }) {
      const settings = newSettingsIn(ORGANIZATION_RULES, body, ORGANIZATION_DEFAULTS)
      return organizationDocument(await store.organizations.create(settings, now))
    },
  },
  {
    id: 'getOrganization',
    method: 'GET',
    path: '/organizations/{organization}',
    scopes: READ,
    tag: TAG,
    summary: "One organization with today's figures",
    status: 200,
    answers: 'summary',
    async run(call) {
      const { api, now } = call
      const organization = await organizationOf(call)
      const requests = await requestsToday(api, now)
      await api.directory.catchUp()
      return summaryOf(api, organization, requests.get(organization.id), now)
    },
  },
  {
    id: 'updateOrganization',
    method: 'PATCH',
    path: '/organizations/{organization}',
    scopes: MANAGE,
    tag: TAG,
    summary: 'Change settings of an organization',
    takes: 'organizationPatch',
    status: 200,
    answers: 'organization',
    async run({ store, caller, params, body, now }) {
      const patch = settingsIn(ORGANIZATION_RULES, body)
      refuseLimits(caller!, patch)
      const updated = await store.organizations.update(params.organization!, patch, now)
      if (updated === null) throw notFound('organization')
      return organizationDocument(updated)
    },
  },
  {
    id: 'deleteOrganization',
    method: 'DELETE',
    path: '/organizations/{organization}',
    scopes: ALL,
    tag: TAG,
    summary: 'Delete an organization and all that it owns',
    status: 204,
    answers: null,
    async run({ store, params }) {
      if (!(await store.organizations.delete(params.organization!))) throw notFound('organization')
      return null
    },
  },
]

/** Throws `Refused` if a token of the organization itself would change what limits the organization. */
function refuseLimits({ credential }: Caller, patch: Partial<OrganizationSettings>): void {
  if (credential.organization === null) return
  const changed = Object.keys(patch) as (keyof OrganizationSettings)[]
  const limit = changed.find((setting) => !OWN_SETTINGS.includes(setting))
  if (limit === undefined) return
  throw operatorsOnly(
    documentedName(limit),
    'limits the organization, so only the operator changes it',
  )
}

/** The organization of a path. Throws `Refused` if there is none. */
export async function organizationOf({ api, params }: Call): Promise<Organization> {
  const organization = await api.store.organizations.find(params.organization!)
  if (organization === null) throw notFound('organization')
  return organization
}

/** Its current fleet. */
export async function fleetOf({ api, params }: Call): Promise<Fleet> {
  await api.directory.catchUp()
  const fleet = await api.directory.fleetOf(params.organization!)
  if (fleet === null) throw notFound('organization')
  return fleet
}

type Requests = Map<number, number>

async function requestsToday({ usage, store }: AdminApi, now: number) {
  await usage.write()
  return store.usage.byOrganization(utcDay(now))
}

async function summaryOf(
  api: AdminApi,
  organization: Organization,
  requests: Requests | undefined,
  now: number,
) {
  const today = utcDay(now)
  const fleet = await api.directory.fleetOf(organization.id)
  // Null if it was deleted meanwhile.
  const objects = (await fleet?.warm()) ?? []
  const seen = objects.filter(({ state }) => (lastSignal(state) ?? -1) >= today * DAY_MS)
  const used = await usedOf(
    api,
    organization,
    objects.map(({ object }) => object.id),
    today,
  )
  const limit = organization.dailyQuota
  return {
    ...organizationDocument(organization),
    objects: objects.length,
    objects_seen_today: seen.length,
    keys: api.directory.keys.count(organization.id, now),
    requests_today: sum(requests?.values() ?? []),
    refused_today: requests?.get(REFUSED) ?? 0,
    quota_used: limit === null ? null : used.reduce((most, each) => Math.max(most, each), 0),
    objects_exhausted: limit === null ? 0 : used.filter((each) => each >= limit).length,
  }
}

/** The units used of each object. If the counters cannot be read, nothing is shown as used. */
async function usedOf(
  { realtime }: AdminApi,
  { id, dailyQuota }: Organization,
  objects: number[],
  day: number,
): Promise<number[]> {
  if (dailyQuota === null) return []
  try {
    return (await realtime.quota.used(id, objects, day)).map(wholeUnits)
  } catch (error) {
    if (error instanceof QuotaUnavailable) return []
    throw error
  }
}

export function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const each of numbers) total += each
  return total
}
