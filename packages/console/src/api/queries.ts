import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import type { PlaceTopic } from '../../../server/src/base/domain/items.ts'
import { get } from './client.ts'
import { every } from './refresh.ts'
import type {
  AccessSettings,
  AllRefusedIdents,
  Attributes,
  Audit,
  Credentials,
  CurrentAttributes,
  Diagnosis,
  Disclosures,
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
  return useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => get<Session>('/session', signal),
    staleTime: 60_000,
  })
}

export function useServer() {
  return useQuery({
    queryKey: ['server'],
    queryFn: ({ signal }) => get<Server>('/server', signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** `organization`: null for all people; in the same way for invitations and tokens. */
export function usePeople(organization: number | null, enabled = true) {
  return useQuery({
    enabled,
    queryKey: ['people', organization],
    queryFn: ({ signal }) => get<People>(`${placeOf(organization)}/people`, signal),
    refetchInterval: every(60_000),
  })
}

export function useInvitations(organization: number | null) {
  return useQuery({
    queryKey: ['invitations', organization],
    queryFn: ({ signal }) => get<Invitations>(`${placeOf(organization)}/invitations`, signal),
    refetchInterval: every(TODAY_MS),
  })
}

/** `path`: of the own sessions, or of those of a person. */
export function useOpenSessions(path: string) {
  return useQuery({
    queryKey: ['sessions', path],
    queryFn: ({ signal }) => get<OpenSessions>(path, signal),
    refetchInterval: every(TODAY_MS),
  })
}

export function useRoutingRules() {
  return useQuery({
    queryKey: ['routing', 'rules'],
    queryFn: ({ signal }) => get<RoutingRules>('/routing/rules', signal),
    refetchInterval: every(TODAY_MS),
  })
}

export function useWaitingIdents() {
  return useQuery({
    queryKey: ['routing', 'waiting'],
    queryFn: ({ signal }) => get<WaitingIdents>('/routing/waiting', signal),
    refetchInterval: every(TODAY_MS),
  })
}

export function useTokens(organization: number | null, isSeen = true) {
  return useQuery({
    enabled: isSeen,
    queryKey: ['tokens', organization],
    queryFn: ({ signal }) => get<Tokens>(`${placeOf(organization)}/tokens`, signal),
    refetchInterval: every(TODAY_MS),
  })
}

export function useAccessSettings() {
  return useQuery({
    queryKey: ['access'],
    queryFn: ({ signal }) => get<AccessSettings>('/access', signal),
  })
}

export function useOrganizations(search: string, enabled = true) {
  return useQuery({
    enabled,
    queryKey: ['organizations', search],
    queryFn: ({ signal }) =>
      get<Organizations>(
        `/organizations${search === '' ? '' : `?search=${encodeURIComponent(search)}`}`,
        signal,
      ),
    refetchInterval: every(TODAY_MS),
    placeholderData: keepPreviousData,
  })
}

/** Returns the name of an organization by its id: `organization 7`, if it is not among the first that are listed. */
export function useOrganizationNames(): (organization: number) => string {
  const names = new Map(useOrganizations('').data?.items.map(({ id, name }) => [id, name]))
  return (organization) => names.get(organization) ?? `organization ${organization}`
}

export function useOrganization(organization: number) {
  const client = useQueryClient()
  // The list has loaded the organization already. Show it at once and refresh it.
  const listed = () =>
    client
      .getQueriesData<Organizations>({ queryKey: ['organizations'] })
      .flatMap(([, answered]) => answered?.items ?? [])
      .find(({ id }) => id === organization)
  return useQuery({
    initialData: listed,
    initialDataUpdatedAt: 0,
    queryKey: ['organization', organization],
    queryFn: ({ signal }) => get<OrganizationSummary>(`/organizations/${organization}`, signal),
    refetchInterval: every(TODAY_MS),
  })
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
  return useQuery({
    enabled: isSeen,
    queryKey: [...ownerKey(organization), kind],
    queryFn: ({ signal }) => get<Credentials>(credentialsPath(organization, kind), signal),
    refetchInterval: every(TODAY_MS),
  })
}

/** Disclosures of a page: as many as the server gives at once. */
const DISCLOSURES = 10_000

/** `selection`: the parameters that choose disclosures. */
export function useDisclosures(organization: number, selection: string) {
  return useQuery({
    queryKey: ['organization', organization, 'disclosures', selection],
    queryFn: ({ signal }) =>
      get<Disclosures>(
        `/organizations/${organization}/disclosures?${selection}&limit=${DISCLOSURES}`,
        signal,
      ),
    refetchInterval: every(60_000),
    placeholderData: keepPreviousData,
  })
}

/** The choices with which CSV files were imported. */
export function useSavedMappings(organization: number) {
  return useQuery({
    queryKey: ['organization', organization, 'import', 'mappings'],
    queryFn: ({ signal }) =>
      get<SavedMappings>(`/organizations/${organization}/import/mappings`, signal),
  })
}

/** The totals of each recipient. `selection`: as of `useDisclosures`. */
export function useRecipients(organization: number, selection: string) {
  return useQuery({
    queryKey: ['organization', organization, 'recipients', selection],
    queryFn: ({ signal }) =>
      get<Recipients>(`/organizations/${organization}/disclosures/recipients?${selection}`, signal),
    refetchInterval: every(60_000),
    placeholderData: keepPreviousData,
  })
}

export function useWebhooks(organization: number, isSeen = true) {
  return useQuery({
    enabled: isSeen,
    queryKey: ['organization', organization, 'webhooks'],
    queryFn: ({ signal }) => get<Webhooks>(`/organizations/${organization}/webhooks`, signal),
    refetchInterval: every(TODAY_MS),
  })
}

export function useDeliveries(organization: number, webhook: number) {
  return useQuery({
    queryKey: ['organization', organization, 'webhooks', webhook, 'deliveries'],
    queryFn: ({ signal }) =>
      get<WebhookDeliveries>(
        `/organizations/${organization}/webhooks/${webhook}/deliveries`,
        signal,
      ),
    refetchInterval: every(2_000),
  })
}

export function useUsage(organization: number, days: number) {
  return useQuery({
    queryKey: ['organization', organization, 'usage', days],
    queryFn: ({ signal }) =>
      get<Usage>(`/organizations/${organization}/usage?days=${days}`, signal),
    refetchInterval: every(TODAY_MS),
    placeholderData: keepPreviousData,
  })
}

export function useQuota(organization: number, limit: number) {
  return useQuery({
    queryKey: ['organization', organization, 'quota', limit],
    queryFn: ({ signal }) =>
      get<Quota>(`/organizations/${organization}/quota?limit=${limit}`, signal),
    refetchInterval: every(TODAY_MS),
    placeholderData: keepPreviousData,
  })
}

export function useObjects(organization: number, enabled = true) {
  return useQuery({
    enabled,
    queryKey: ['organization', organization, 'objects'],
    queryFn: ({ signal }) => get<FleetObjects>(`/organizations/${organization}/objects`, signal),
    // The whole list can have tens of thousands of items, so it is refreshed less often.
    refetchInterval: every(60_000),
    // Do not compare the list with the old one item by item. Rendering the visible rows again is fast.
    structuralSharing: false,
  })
}

export function useObject(
  organization: number,
  object: number,
  everyMs = TODAY_MS,
  enabled = true,
) {
  return useQuery({
    enabled,
    queryKey: ['organization', organization, 'object', object],
    queryFn: ({ signal }) =>
      get<FleetObject>(`/organizations/${organization}/objects/${object}`, signal),
    refetchInterval: every(everyMs),
  })
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
  return useQuery({
    queryKey: ['organization', organization, 'object', object, 'attributes'],
    queryFn: ({ signal }) =>
      get<CurrentAttributes>(`/organizations/${organization}/objects/${object}/attributes`, signal),
    refetchInterval: every(TODAY_MS),
  })
}

export function useRejects(organization: number, object: number) {
  return useQuery({
    queryKey: ['organization', organization, 'object', object, 'rejects'],
    queryFn: ({ signal }) =>
      get<Rejects>(`/organizations/${organization}/objects/${object}/rejects`, signal),
    refetchInterval: every(false),
  })
}

export function useDiagnosis(organization: number, object: number) {
  return useQuery({
    queryKey: ['organization', organization, 'object', object, 'diagnosis'],
    queryFn: ({ signal }) =>
      get<Diagnosis>(`/organizations/${organization}/objects/${object}/diagnosis`, signal),
    refetchInterval: every(false),
  })
}

export function useRefusedIdents(organization: number) {
  return useQuery({
    queryKey: ['organization', organization, 'refused-idents'],
    queryFn: ({ signal }) =>
      get<RefusedIdents>(`/organizations/${organization}/refused-idents`, signal),
    refetchInterval: every(TODAY_MS),
  })
}

export function useAllRefusedIdents() {
  return useQuery({
    queryKey: ['routing', 'refused-idents'],
    queryFn: ({ signal }) => get<AllRefusedIdents>('/refused-idents', signal),
    refetchInterval: every(TODAY_MS),
  })
}

export function useWrongClocks(organization: number) {
  return useQuery({
    queryKey: ['organization', organization, 'wrong-clocks'],
    queryFn: ({ signal }) =>
      get<WrongClocks>(`/organizations/${organization}/wrong-clocks`, signal),
    refetchInterval: every(TODAY_MS),
  })
}

export function usePlaces<Kind extends PlaceKind>(
  organization: number,
  kind: Kind,
  enabled = true,
) {
  return useQuery({
    enabled,
    queryKey: ['organization', organization, 'places', kind],
    queryFn: ({ signal }) => get<PlacesOf[Kind]>(`/organizations/${organization}/${kind}`, signal),
  })
}

/** The places of all kinds, as far as they have come. */
export function useAllPlaces(organization: number, enabled = true) {
  return {
    geofences: usePlaces(organization, 'geofences', enabled).data?.items,
    routes: usePlaces(organization, 'routes', enabled).data?.items,
    sites: usePlaces(organization, 'sites', enabled).data?.items,
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
