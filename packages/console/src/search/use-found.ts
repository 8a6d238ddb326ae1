import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { PLACE_TOPICS } from '../../../server/src/base/domain/item-rules.ts'
import { placeOf, useAllPlaces, useOrganizations, usePeople } from '../api/queries.ts'
import { useRights } from '../api/rights.ts'
import { t } from '../language/text.ts'
import { namesOf } from '../map/labels/names.ts'
import { matcher } from '../ui/match.ts'
import { mapHref } from '../ui/page/map-address.ts'
import { KINDS } from '../ui/place-kinds.ts'
import { type Found, type FoundGroup, MAX_FOUND } from './found.ts'

/** How long the list of vehicles is searched before it is loaded again. */
const KEPT_MS = 60_000

/** The vehicles of an organization with these words, to open them or, after `share`, to share them. */
export function useVehicles(organization: number | null, typed: string): FoundGroup {
  useEffect(() => {
    if (organization !== null) namesOf(organization).list.outdate(KEPT_MS)
  }, [organization])
  const { changes } = useRights(organization)
  const [, verb = '', words = ''] = /^(\S+)\s+(.+)$/.exec(typed) ?? []
  const shares = changes && verb.toLowerCase() === t('Share').toLowerCase()
  const searched = shares ? words : typed
  const { data, isFetching } = useQuery({
    queryKey: ['search', organization, 'vehicles', searched],
    queryFn: () => namesOf(organization!).find(searched, MAX_FOUND),
    enabled: organization !== null && typed !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const items = (typed === '' ? [] : (data?.hits ?? [])).map(
    ({ id, name, ident, plate }): Found => ({
      to: `/organizations/${organization}/objects/${id}${shares ? '?share=link' : ''}`,
      onMap: mapHref(organization!, id),
      name: shares ? t('Share {{name}}', { name }) : name,
      detail: plate ?? ident,
      icon: shares ? 'share' : 'vehicle',
    }),
  )
  return { name: t('Vehicles'), items, isReady: !isFetching }
}

export function usePlacesFound(organization: number | null, typed: string): FoundGroup {
  const isAsked = organization !== null && typed !== ''
  const { geofences, routes, sites, isLoading } = useAllPlaces(organization ?? 0, isAsked)
  const items = useMemo(() => {
    const of = { geofences, routes, sites }
    return PLACE_TOPICS.flatMap((kind) =>
      (of[kind] ?? []).map(
        ({ id, name }): Found => ({
          to: `/organizations/${organization}/places/${kind}/${id}`,
          name,
          detail: KINDS[kind].title,
          icon: 'place',
        }),
      ),
    )
  }, [geofences, routes, sites, organization])
  return { name: t('Places'), items: foundIn(items, typed), isReady: !isLoading }
}

/** The people whom the person may see: of the organization, or of the deployment (null). */
export function usePeopleFound(
  organization: number | null,
  typed: string,
  oversees: boolean,
): FoundGroup {
  const { data, isLoading } = usePeople(organization, oversees && typed !== '')
  const to = `${placeOf(organization)}/people`
  const items = (data?.items ?? []).map(
    ({ name, email }): Found => ({ to, name, detail: email, icon: 'people' }),
  )
  return { name: t('People'), items: foundIn(items, typed), isReady: !isLoading }
}

/** Other organizations. The server searches them. */
export function useOrganizationsFound(
  organization: number | null,
  typed: string,
  hasSeveral: boolean,
): FoundGroup {
  const { data, isFetching } = useOrganizations(typed, hasSeveral && typed.length > 1)
  const others = (data?.items ?? []).filter(({ id }) => id !== organization)
  const items = others.map(
    ({ id, name }): Found => ({ to: `/organizations/${id}`, name, icon: 'organization' }),
  )
  return { name: t('Organizations'), items: foundIn(items, typed), isReady: !isFetching }
}

/** The first items that have all typed words. */
function foundIn(items: Found[], typed: string): Found[] {
  if (typed === '') return []
  const matches = matcher(typed)
  return items.filter(({ name, detail = '' }) => matches(`${name} ${detail}`)).slice(0, MAX_FOUND)
}
