import { useQuery } from '@tanstack/react-query'
import type { Map as MapLibre } from 'maplibre-gl'
import { useEffect, useRef } from 'react'
import { get } from '../../api/client.ts'
import type { Geofences, Routes, Sites } from '../../api/types.ts'
import { PALETTES } from '../base/palette.ts'
import { useTheme } from '../base/theme.ts'
import type { Layers } from '../layers.ts'
import { drawPlaces, showPlaces } from './place-layers.ts'
import type { Places } from './places.ts'

/** The places of an organization, as far as they have come. */
export function usePlaces(organization: number): Places {
  const path = `/organizations/${organization}`
  const key = ['map', organization]
  const geofences = useQuery({
    queryKey: [...key, 'geofences'],
    queryFn: ({ signal }) => get<Geofences>(`${path}/geofences`, signal),
  })
  const routes = useQuery({
    queryKey: [...key, 'routes'],
    queryFn: ({ signal }) => get<Routes>(`${path}/routes`, signal),
  })
  const sites = useQuery({
    queryKey: [...key, 'sites'],
    queryFn: ({ signal }) => get<Sites>(`${path}/sites`, signal),
  })
  return {
    ...(geofences.data && { geofences: geofences.data.items }),
    ...(routes.data && { routes: routes.data.items }),
    ...(sites.data && { sites: sites.data.items }),
  }
}

/** Draws the places, and shows the layers that are chosen. */
export function usePlacesOnMap(
  map: MapLibre | undefined,
  { geofences, routes, sites }: Places,
  layers: Layers,
): void {
  const palette = PALETTES[useTheme()]
  const latest = useRef(layers)
  latest.current = layers
  useEffect(() => {
    if (map === undefined) return
    const places = { geofences: geofences ?? [], routes: routes ?? [], sites: sites ?? [] }
    drawPlaces(map, places, palette, latest.current)
  }, [map, geofences, routes, sites, palette])
  useEffect(() => {
    if (map !== undefined) showPlaces(map, layers)
  }, [map, layers])
}
