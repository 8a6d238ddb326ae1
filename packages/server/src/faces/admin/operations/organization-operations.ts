import { organizationOf, reachOf, VIEWERS } from '../../../acts/act.ts'
import * as doc from '../../../acts/document-schema.ts'
import { ORGANIZATION_ACTS } from '../../../acts/organization-acts.ts'
import { ORGANIZATION } from '../../../acts/organization-bodies.ts'
import { takeTurn } from '../../../base/domain/common/slots.ts'
import { wholeUnits } from '../../../base/domain/limits.ts'
import type { Organization } from '../../../base/domain/organization.ts'
import { lastSignal } from '../../../base/domain/position/object-state.ts'
import { DAY_MS, utcDay } from '../../../base/domain/time/time.ts'
import { QuotaUnavailable } from '../../../data/live/realtime.ts'
import { type AdminApi, type Call, operations } from '../admin-api.ts'
import type { Counted } from '../stored-counts.ts'

const REFUSED = 429

const STORED = doc.record(
  {
    packed: doc.integer('Positions in blocks.'),
    packed_bytes: doc.integer('Bytes of these blocks.'),
    unpacked: doc.integer('Positions older than two days that are still rows.'),
    unpacked_bytes: doc.integer('Bytes of these rows, without the index.'),
    counted_at: doc.instant('When they were counted.'),
  },
  'The stored positions, as the server counted them after it last packed old ones or, if another process packs, when somebody last looked. Null: the server is counting them, so ask again. In a list: nobody has asked for this single organization yet.',
)

const SUMMARY = doc.record(
  {
    ...ORGANIZATION.fields,
    objects: doc.integer('How many objects it has.'),
    objects_seen_today: doc.integer(
      'How many of them have sent a packet that was accepted since 00:00 UTC.',
    ),
    keys: doc.integer('How many API keys are valid, neither revoked nor expired.'),
    requests_today: doc.integer(
      'Requests with one of its keys since 00:00 UTC, including refused ones.',
    ),
    refused_today: doc.integer(
      'How many of them were refused because the rate window was full (429).',
    ),
    quota_used: doc.integerOrNull(
      'The most that one object was charged since 00:00 UTC, rounded up. Null if there is no quota.',
    ),
    objects_exhausted: doc.integer('How many objects have less than 1 left of today’s quota.'),
    positions: doc.recordOrNull(STORED),
  },
  'An organization with today’s figures.',
  'OrganizationSummary',
)
const ORGANIZATIONS = doc.items(SUMMARY, 'Organizations, by id.', 'Organizations')

export const ORGANIZATION_OPERATIONS = operations('Organizations', [
  {
    id: 'listOrganizations',
    method: 'GET',
    path: '/organizations',
    who: VIEWERS,
    summary: "List organizations with today's figures",
    query: {
      described: {
        search: { schema: { type: 'string' }, description: 'A part of the name, or the id.' },
      },
    },
    answers: ORGANIZATIONS,
    async run(call) {
      const { api, by, query, now } = call
      const sought = (query.get('search') ?? '').trim().toLowerCase()
      const reach = reachOf(by, VIEWERS)
      const all = await api.store.organizations.list()
      const found = all.filter(
        ({ id, name }) =>
          (reach === null || reach.includes(id)) &&
          (String(id) === sought || name.toLowerCase().includes(sought)),
      )
      const requests = await requestsToday(call)
      const summaries = []
      for (const organization of found) {
        await takeTurn()
        const { id } = organization
        const positions = api.storedCounts.known(id)
        summaries.push(await summaryOf(api, organization, requests.get(id), positions, now))
      }
      return { items: summaries }
    },
  },
  ORGANIZATION_ACTS.createOrganization,
  {
    id: 'getOrganization',
    method: 'GET',
    path: '/organizations/{organization}',
    who: VIEWERS,
    summary: "One organization with today's figures",
    answers: SUMMARY,
    async run(call) {
      const { api, now } = call
      const organization = await organizationOf(call)
      const requests = await requestsToday(call)
      const positions = await api.storedCounts.counted(organization.id)
      return summaryOf(api, organization, requests.get(organization.id), positions, now)
    },
  },
  ORGANIZATION_ACTS.updateOrganization,
  ORGANIZATION_ACTS.deleteOrganization,
])

type Requests = Map<number, number>

async function requestsToday({ api, known, store, now }: Call) {
  await known.writeCounts()
  const requests = await store.usage.byOrganization(utcDay(now))
  await api.directory.catchUp()
  return requests
}

async function summaryOf(
  api: AdminApi,
  organization: Organization,
  requests: Requests | undefined,
  positions: Counted | null,
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
  return SUMMARY.write({
    ...organization,
    objects: objects.length,
    objectsSeenToday: seen.length,
    keys: api.directory.keys.count(organization.id, now),
    requestsToday: sum(requests?.values() ?? []),
    refusedToday: requests?.get(REFUSED) ?? 0,
    quotaUsed: limit === null ? null : used.reduce((most, each) => Math.max(most, each), 0),
    objectsExhausted: limit === null ? 0 : used.filter((each) => each >= limit).length,
    positions,
  })
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
