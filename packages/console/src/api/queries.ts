import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import type { PlaceTopic } from '../../../server/src/base/domain/item-rules.ts'
import { t } from '../language/text.ts'
import { get } from './client.ts'
import { every } from './refresh.ts'
import type {
  AccessSettings,
  AllRefusedIdents,
  Attributes,
  Audit,
  Credentials,
  CurrentAttributes,
  Desk,
  Diagnosis,
  Disclosures,
  ErasedRanges,
  FleetObject,
  FleetObjects,
  Geofences,
  Invitations,
  Levels,
  OpenSessions,
  OrganizationSummary,
  Organizations,
  People,
  Quota,
  Recipients,
  RefusedIdents,
  Rejects,
  Routes,
  RoutingRules,
  SavedMappings,
  Server,
  Session,
  Sites,
  Stops,
  Tokens,
  Trips,
  Usage,
  Visits,
  WaitingIdents,
  WebhookDeliveries,
  Webhooks,
  WrongClocks,
} from './types.ts'
import { type Asking, useAnswer } from './use-answer.ts'

/** How often today's figures are refreshed while they are visible. */
const TODAY_MS = 15_000

export type CredentialKind = 'keys' | 'feed-tokens'
export type PlaceKind = PlaceTopic
export type RecordsOf = { trips: Trips; stops: Stops; visits: Visits; levels: Levels }
export type PlacesOf = { geofences: Geofences; routes: Routes; sites: Sites }

/** Where people have roles: the path of the deployment (null), or of an organization. */
export function placeOf(organization: number | null): string {
  return organization === null ? '' : `/organizations/${organization}`
}

export function useSession() {
  return useAnswer<Session>(['session'], '/session', { staleTime: 60_000 })
}

export function useServer() {
  return useAnswer<Server>(['server'], '/server', { staleTime: Number.POSITIVE_INFINITY })
}

/** `organization`: null for all people; in the same way for invitations and tokens. */
export function usePeople(organization: number | null, enabled = true) {
  return useAnswer<People>(['people', organization], `${placeOf(organization)}/people`, {
    enabled,
    everyMs: 60_000,
  })
}

export function useInvitations(organization: number | null) {
  return useAnswer<Invitations>(
    ['invitations', organization],
    `${placeOf(organization)}/invitations`,
    { everyMs: TODAY_MS },
  )
}

/** `path`: of the own sessions, or of those of a person. */
export function useOpenSessions(path: string) {
  return useAnswer<OpenSessions>(['sessions', path], path, { everyMs: TODAY_MS })
}

export function useRoutingRules() {
  return useAnswer<RoutingRules>(['routing', 'rules'], '/routing/rules', { everyMs: TODAY_MS })
}

export function useWaitingIdents() {
  return useAnswer<WaitingIdents>(['routing', 'waiting'], '/routing/waiting', { everyMs: TODAY_MS })
}

export function useTokens(organization: number | null, isSeen = true) {
  return useAnswer<Tokens>(['tokens', organization], `${placeOf(organization)}/tokens`, {
    enabled: isSeen,
    everyMs: TODAY_MS,
  })
}

export function useAccessSettings() {
  return useAnswer<AccessSettings>(['access'], '/access')
}

export function useOrganizations(search: string, enabled = true) {
  const query = search === '' ? '' : `?search=${encodeURIComponent(search)}`
  return useAnswer<Organizations>(['organizations', search], `/organizations${query}`, {
    enabled,
    everyMs: TODAY_MS,
    placeholderData: keepPreviousData,
  })
}

/** Returns the name of an organization by its id: `Organization 7`, if it is not among the first that are listed. */
export function useOrganizationNames(): (organization: number) => string {
  const names = new Map(useOrganizations('').data?.items.map(({ id, name }) => [id, name]))
  return (organization) =>
    names.get(organization) ?? t('Organization {{id}}', { id: String(organization) })
}

export function useOrganization(organization: number) {
  const client = useQueryClient()
  // The list has loaded the organization already. Show it at once and refresh it.
  const listed = () =>
    client
      .getQueriesData<Organizations>({ queryKey: ['organizations'] })
      .flatMap(([, answered]) => answered?.items ?? [])
      .find(({ id }) => id === organization)
  return useAnswer<OrganizationSummary>(
    ['organization', organization],
    `/organizations/${organization}`,
    { initialData: listed, initialDataUpdatedAt: 0, everyMs: TODAY_MS },
  )
}

/** The path of keys or feed tokens. `organization`: null for the feed tokens of the deployment. */
export function credentialsPath(organization: number | null, kind: CredentialKind): string {
  return organization === null ? '/routing/tokens' : `/organizations/${organization}/${kind}`
}

/** The key of all queries about an organization, or about the routing of the deployment (null). */
export function ownerKey(organization: number | null): (string | number)[] {
  return organization === null ? ['routing'] : ['organization', organization]
}

/** `isSeen`: whether the person may read them. */
export function useCredentials(organization: number | null, kind: CredentialKind, isSeen = true) {
  return useAnswer<Credentials>(
    [...ownerKey(organization), kind],
    credentialsPath(organization, kind),
    { enabled: isSeen, everyMs: TODAY_MS },
  )
}

/** Disclosures of a page: as many as the server gives at once. */
const DISCLOSURES = 10_000

/** `selection`: the parameters that choose disclosures. */
export function useDisclosures(organization: number, selection: string) {
  return useAnswer<Disclosures>(
    ['organization', organization, 'disclosures', selection],
    `/organizations/${organization}/disclosures?${selection}&limit=${DISCLOSURES}`,
    { everyMs: 60_000, placeholderData: keepPreviousData },
  )
}

/** All ways in which data of an organization reach somebody. */
export function useDesk(organization: number) {
  return useAnswer<Desk>(
    ['organization', organization, 'desk'],
    `/organizations/${organization}/desk`,
    {
      everyMs: TODAY_MS,
    },
  )
}

/** The choices with which CSV files were imported. */
export function useSavedMappings(organization: number) {
  return useAnswer<SavedMappings>(
    ['organization', organization, 'import', 'mappings'],
    `/organizations/${organization}/import/mappings`,
  )
}

/** The totals of each recipient. `selection`: as of `useDisclosures`. */
export function useRecipients(organization: number, selection: string) {
  return useAnswer<Recipients>(
    ['organization', organization, 'recipients', selection],
    `/organizations/${organization}/disclosures/recipients?${selection}`,
    { everyMs: 60_000, placeholderData: keepPreviousData },
  )
}

export function useWebhooks(organization: number, isSeen = true) {
  return useAnswer<Webhooks>(
    ['organization', organization, 'webhooks'],
    `/organizations/${organization}/webhooks`,
    { enabled: isSeen, everyMs: TODAY_MS },
  )
}

export function useDeliveries(organization: number, webhook: number) {
  return useAnswer<WebhookDeliveries>(
    ['organization', organization, 'webhooks', webhook, 'deliveries'],
    `/organizations/${organization}/webhooks/${webhook}/deliveries`,
    { everyMs: 2_000 },
  )
}

export function useUsage(organization: number, days: number) {
  return useAnswer<Usage>(
    ['organization', organization, 'usage', days],
    `/organizations/${organization}/usage?days=${days}`,
    { everyMs: TODAY_MS, placeholderData: keepPreviousData },
  )
}

export function useQuota(organization: number, limit: number) {
  return useAnswer<Quota>(
    ['organization', organization, 'quota', limit],
    `/organizations/${organization}/quota?limit=${limit}`,
    { everyMs: TODAY_MS, placeholderData: keepPreviousData },
  )
}

export function useObjects(organization: number, enabled = true) {
  return useAnswer<FleetObjects>(
    ['organization', organization, 'objects'],
    `/organizations/${organization}/objects`,
    // The whole list can have tens of thousands of items, so it is refreshed less often and
    // not compared with the old one item by item. Rendering the visible rows again is fast.
    { enabled, everyMs: 60_000, structuralSharing: false },
  )
}

export function useObject(
  organization: number,
  object: number,
  asking: Pick<Asking<FleetObject>, 'everyMs' | 'enabled' | 'staleTime'> = {},
) {
  return useAnswer<FleetObject>(
    ['organization', organization, 'object', object],
    `/organizations/${organization}/objects/${object}`,
    { everyMs: TODAY_MS, ...asking },
  )
}

/** The catalogue, and the names of devices on the pages so far. */
export function useAttributes(organization: number, enabled = true) {
  return useInfiniteQuery({
    enabled,
    queryKey: ['organization', organization, 'attributes'],
    queryFn: ({ signal, pageParam }) => {
      const after = pageParam === null ? '' : `?after=${encodeURIComponent(pageParam)}`
      return get<Attributes>(`/organizations/${organization}/attributes${after}`, signal)
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    refetchInterval: every(60_000),
    select: ({ pages }) => ({
      items: pages[0]!.items,
      sent: pages.flatMap(({ sent }) => sent),
    }),
  })
}

export function useCurrentAttributes(organization: number, object: number) {
  return useAnswer<CurrentAttributes>(
    ['organization', organization, 'object', object, 'attributes'],
    `/organizations/${organization}/objects/${object}/attributes`,
    { everyMs: TODAY_MS },
  )
}

export function useRejects(organization: number, object: number) {
  return useAnswer<Rejects>(
    ['organization', organization, 'object', object, 'rejects'],
    `/organizations/${organization}/objects/${object}/rejects`,
  )
}

export function useErasedRanges(organization: number, object: number) {
  return useAnswer<ErasedRanges>(
    ['organization', organization, 'object', object, 'erased-ranges'],
    `/organizations/${organization}/objects/${object}/erased-ranges`,
    { everyMs: 2_000 },
  )
}

export function useDiagnosis(organization: number, object: number) {
  return useAnswer<Diagnosis>(
    ['organization', organization, 'object', object, 'diagnosis'],
    `/organizations/${organization}/objects/${object}/diagnosis`,
  )
}

export function useRefusedIdents(organization: number) {
  return useAnswer<RefusedIdents>(
    ['organization', organization, 'refused-idents'],
    `/organizations/${organization}/refused-idents`,
    { everyMs: TODAY_MS },
  )
}

export function useAllRefusedIdents() {
  return useAnswer<AllRefusedIdents>(['routing', 'refused-idents'], '/refused-idents', {
    everyMs: TODAY_MS,
  })
}

export function useWrongClocks(organization: number) {
  return useAnswer<WrongClocks>(
    ['organization', organization, 'wrong-clocks'],
    `/organizations/${organization}/wrong-clocks`,
    { everyMs: TODAY_MS },
  )
}

export function usePlaces<Kind extends PlaceKind>(
  organization: number,
  kind: Kind,
  enabled = true,
) {
  return useAnswer<PlacesOf[Kind]>(
    ['organization', organization, 'places', kind],
    `/organizations/${organization}/${kind}`,
    { enabled },
  )
}

/** The places of all kinds, as far as they have come. */
export function useAllPlaces(organization: number, enabled = true) {
  const geofences = usePlaces(organization, 'geofences', enabled)
  const routes = usePlaces(organization, 'routes', enabled)
  const sites = usePlaces(organization, 'sites', enabled)
  return {
    geofences: geofences.data?.items,
    routes: routes.data?.items,
    sites: sites.data?.items,
    isLoading: geofences.isLoading || routes.isLoading || sites.isLoading,
  }
}

/** Records of a page at once. A button loads more. */
const RECORDS = 5_000
/** How often a page asks again while the server derives the records for the first time. */
const DERIVING_MS = 1_000

/** `selection`: the parameters that choose records. */
export function useRecords<Kind extends keyof RecordsOf>(
  organization: number,
  kind: Kind,
  selection: string,
) {
  return useInfiniteQuery({
    queryKey: ['organization', organization, 'records', kind, selection],
    queryFn: ({ signal, pageParam }) => {
      const cursor = pageParam === null ? '' : `&cursor=${pageParam}`
      const query = `${selection}&limit=${RECORDS}${cursor}`
      return get<RecordsOf[Kind]>(`/organizations/${organization}/${kind}?${query}`, signal)
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    refetchInterval: (query) => {
      const isDerived = query.state.data?.pages[0]?.derived_until !== null
      return every(isDerived ? false : DERIVING_MS)(query)
    },
    placeholderData: keepPreviousData,
  })
}

/** The audit log of one organization. Null: of all organizations and the deployment. */
export function useAudit(organization: number | null) {
  const of = placeOf(organization)
  return useInfiniteQuery({
    queryKey: ['audit', organization],
    queryFn: ({ signal, pageParam }) =>
      get<Audit>(`${of}/audit?limit=50${pageParam === null ? '' : `&before=${pageParam}`}`, signal),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next,
  })
}
