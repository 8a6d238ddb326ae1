import { type Map as MapLibre, Marker } from 'maplibre-gl'
import { useEffect, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import type { OrganizationSummary, Server } from '../api/types.ts'
import { MotionShape } from '../ui/MotionShape.tsx'
import { continued } from './base/antimeridian.ts'
import type { MotionOrUnknown } from './base/motion.ts'
import { NoWebGl } from './base/NoWebGl.tsx'
import { PALETTES, type Palette } from './base/palette.ts'
import { setLayer, setShapes, shape } from './base/shapes-on-map.ts'
import { useTheme } from './base/theme.ts'
import { useMap } from './base/use-map.ts'
import type { LonLat } from './places/shapes.ts'
import { boundsOf } from './track/track.ts'
import './LiveMap.css'
import './VehicleMap.css'

const WAY = 'way'
const PADDING = 36
const MAX_ZOOM = 15

export type VehicleMapProps = {
  name: string
  at: LonLat
  motion: MotionOrUnknown
  /** Degrees clockwise from north. */
  heading: number | null
  /** Where it was today. */
  way: LonLat[]
  server: Server
  unit: OrganizationSummary['distance_unit']
}

/** A picture of where a vehicle is and was today. It does not zoom or scroll. */
export function VehicleMap({ name, at, motion, heading, server, unit, ...given }: VehicleMapProps) {
  const container = useRef<HTMLDivElement>(null)
  const palette = PALETTES[useTheme()]
  const { map, failed } = useMap(container, name, server, unit, {
    isStill: true,
    camera: { center: at, zoom: MAX_ZOOM - 1 },
  })
  const way = useMemo(() => continued(given.way), [given.way])
  const last = way.at(-1)
  // The way may continue beyond 180 degrees, where the vehicle then is too.
  const turns = last === undefined ? 0 : Math.round((last[0] - at[0]) / 360)
  const [longitude, latitude] = [at[0] + turns * 360, at[1]]
  const marker = useMarker(map, longitude, latitude)

  useEffect(() => {
    if (map !== undefined) drawWay(map, way, palette)
  }, [map, way, palette])

  const around = useMemo(
    () => boundsOf([...way, [longitude, latitude]])!,
    [way, longitude, latitude],
  )
  useEffect(() => {
    map?.fitBounds(around, { padding: PADDING, maxZoom: MAX_ZOOM, animate: false })
  }, [map, around])

  const turn = motion === 'moving' ? { rotate: `${heading ?? 0}deg` } : {}
  return (
    <div className="fleetmap-vehicle">
      <div ref={container} className="fleetmap-canvas" />
      {failed && <NoWebGl />}
      {createPortal(
        <span className="fleetmap-vehicle-mark" style={turn}>
          <MotionShape motion={motion} />
        </span>,
        marker,
      )}
    </div>
  )
}

function useMarker(map: MapLibre | undefined, longitude: number, latitude: number): HTMLElement {
  const [element] = useState(() => document.createElement('div'))
  const [marker] = useState(() => new Marker({ element, className: 'fleetmap-vehicle-marker' }))
  useEffect(() => {
    marker.setLngLat([longitude, latitude])
    if (map !== undefined) marker.addTo(map)
  }, [marker, map, longitude, latitude])
  useEffect(() => () => void marker.remove(), [marker])
  return element
}

function drawWay(map: MapLibre, way: LonLat[], palette: Palette): void {
  setShapes(map, WAY, shape({ type: 'LineString', coordinates: way }))
  setLayer(map, {
    id: WAY,
    type: 'line',
    source: WAY,
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: { 'line-width': 3, 'line-opacity': 0.75, 'line-color': palette.after },
  })
}
