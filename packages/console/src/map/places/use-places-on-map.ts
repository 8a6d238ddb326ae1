import type { Map as MapLibre } from 'maplibre-gl'
import { useEffect, useRef } from 'react'
import { PALETTES } from '../base/palette.ts'
import { useTheme } from '../base/theme.ts'
import type { Layers } from '../layers.ts'
import { drawPlaces, showPlaces } from './place-layers.ts'
import type { Places } from './places.ts'

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
    drawPlaces(map, { geofences, routes, sites }, palette, latest.current)
  }, [map, geofences, routes, sites, palette])
  useEffect(() => {
    if (map !== undefined) showPlaces(map, layers)
  }, [map, layers])
}
