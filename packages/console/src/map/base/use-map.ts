import type { Map as MapLibre } from 'maplibre-gl'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { OrganizationSummary, Server } from '../../api/types.ts'
import { createMap, type MapSettings, paintBase } from './create-map.ts'
import { PALETTES } from './palette.ts'
import { useTheme } from './theme.ts'

export type MapState = {
  /** Undefined until the map can be drawn on. */
  map: MapLibre | undefined
  /** Whether this browser lacks WebGL 2, which the map needs. */
  failed: boolean
}

/** A map in the element, for the life of the component. */
export function useMap(
  container: RefObject<HTMLElement | null>,
  name: string,
  server: Server,
  unit: OrganizationSummary['distance_unit'] = 'km',
  options: Pick<MapSettings, 'camera' | 'isStill'> = {},
): MapState {
  const theme = useTheme()
  const [map, setMap] = useState<MapLibre>()
  const [failed, setFailed] = useState(false)
  // A change of colors, name or server answers must not create a new map.
  const latest = useRef({ name, server, theme, unit, ...options })
  latest.current = { name, server, theme, unit, ...options }
  const { tiles_url, tiles_file } = server.map

  // biome-ignore lint/correctness/useExhaustiveDependencies: the place of the tiles decides which base map it is
  useEffect(() => {
    const element = container.current
    if (element === null) return
    let made: MapLibre
    try {
      made = createMap({ container: element, ...latest.current })
    } catch {
      setFailed(true)
      return
    }
    void made.once('load').then(() => setMap(made))
    return () => {
      setMap(undefined)
      made.remove()
    }
  }, [container, tiles_url, tiles_file])

  useEffect(() => {
    if (map !== undefined) paintBase(map, latest.current.server.map, PALETTES[theme])
  }, [map, theme])

  return { map, failed }
}
