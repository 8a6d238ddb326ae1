import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { get } from '../../api/client.ts'
import type { FleetObjects } from '../../api/types.ts'

const NOWHERE: [number, number][] = []

/**
 * The places of an organization's objects, used where nothing else decides which part of the world to show.
 */
export function useFleetSpots(
  organization: number | undefined,
  isWanted: boolean,
): [longitude: number, latitude: number][] {
  const { data } = useQuery({
    queryKey: ['map', organization, 'spots'],
    queryFn: ({ signal }) => get<FleetObjects>(`/organizations/${organization}/objects`, signal),
    enabled: isWanted && organization !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return useMemo(() => {
    if (data === undefined) return NOWHERE
    return data.items.flatMap(({ longitude, latitude }): [number, number][] =>
      longitude === null || latitude === null ? [] : [[longitude, latitude]],
    )
  }, [data])
}
