import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { PLACE_TOPICS } from '../../../server/src/base/domain/items.ts'
import { get } from '../api/client.ts'
import { type PlaceKind, placeOf } from '../api/queries.ts'
import type { Organizations, People } from '../api/types.ts'
import { t } from '../language/text.ts'
import { type Names, openNames } from '../map/labels/names.ts'
import { KINDS, type Place } from '../ui/place-kinds.ts'
import { type Found, type FoundGroup, MAX_FOUND } from './found.ts'
import { matcher } from './match.ts'

/** How long lists are searched before they are loaded again. */
const KEPT_MS = 60_000

let kept: { organization: number; openedAt: number; names: Names } | undefined

/** A worker keeps the names of the vehicles and searches them, so that typing waits for nothing. */
function namesOf(organization: number): Names {
  const now = performance.now()
  if (kept?.organization === organization && now - kept.openedAt < KEPT_MS) return kept.names
  kept?.names.close()
  kept = { organization, openedAt: now, names: openNames(organization) }
  return kept.names
}

/** The vehicles of an organization with these words. */
export function useVehicles(organization: number | null, typed: string): FoundGroup {
  const { data } = useQuery({
    queryKey: ['search', organization, 'vehicles', typed],
    queryFn: () => namesOf(organization!).find(typed, MAX_FOUND),
    enabled: organization !== null && typed !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const items = (typed === '' ? [] : (data?.hits ?? [])).map(
    ({ id, name, ident, plate }): Found => ({
      to: `/organizations/${organization}/objects/${id}`,
      onMap: `/organizations/${organization}/map?object=${id}`,
      name,
      detail: plate ?? ident,
      icon: 'vehicle',
    }),
  )
  return { name: t('Vehicles'), items }
}

export function usePlacesFound(organization: number | null, typed: string): FoundGroup {
  const { data } = useQuery({
    queryKey: ['search', organization, 'places'],
    queryFn: ({ signal }) =>
      Promise.all(PLACE_TOPICS.map((kind) => placesOf(organization!, kind, signal))),
    enabled: organization !== null && typed !== '',
    staleTime: KEPT_MS,
  })
  return { name: t('Places'), items: foundIn(data?.flat() ?? [], typed) }
}

async function placesOf(
  organization: number,
  kind: PlaceKind,
  signal: AbortSignal,
): Promise<Found[]> {
  const at = `/organizations/${organization}`
  const { items } = await get<{ items: Place[] }>(`${at}/${kind}`, signal)
  return items.map(({ id, name }) => ({
    to: `${at}/places/${kind}/${id}`,
    name,
    detail: KINDS[kind].title,
    icon: 'place',
  }))
}

/** The people whom the person may see: of the organization, or of the deployment (null). */
export function usePeopleFound(
  organization: number | null,
  typed: string,
  oversees: boolean,
): FoundGroup {
  const { data } = useQuery({
    queryKey: ['search', organization, 'people'],
    queryFn: ({ signal }) => get<People>(`${placeOf(organization)}/people`, signal),
    enabled: oversees && typed !== '',
    staleTime: KEPT_MS,
  })
  const people = (data?.items ?? []).map(
    ({ name, email }): Found => ({
      to: `${placeOf(organization)}/people`,
      name,
      detail: email,
      icon: 'people',
    }),
  )
  return { name: t('People'), items: foundIn(people, typed) }
}

/** Other organizations. The server searches them. */
export function useOrganizationsFound(
  organization: number | null,
  typed: string,
  hasSeveral: boolean,
): FoundGroup {
  const { data } = useQuery({
    queryKey: ['search', 'organizations', typed],
    queryFn: ({ signal }) =>
      get<Organizations>(`/organizations?search=${encodeURIComponent(typed)}`, signal),
    enabled: hasSeveral && typed.length > 1,
    placeholderData: keepPreviousData,
    staleTime: KEPT_MS,
  })
  const others = (data?.items ?? []).filter(({ id }) => id !== organization)
  const items = others.map(
    ({ id, name }): Found => ({ to: `/organizations/${id}`, name, icon: 'organization' }),
  )
  return { name: t('Organizations'), items: foundIn(items, typed) }
}

/** The first items that have all typed words. */
export function foundIn(items: Found[], typed: string): Found[] {
  if (typed === '') return []
  const matches = matcher(typed)
  return items.filter(({ name, detail = '' }) => matches(`${name} ${detail}`)).slice(0, MAX_FOUND)
}
