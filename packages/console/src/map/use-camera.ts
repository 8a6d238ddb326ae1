import type { Map as MapLibre } from 'maplibre-gl'
import { type RefObject, useEffect, useRef } from 'react'
import { fit } from './base/camera.ts'
import { keepCamera, lastCamera } from './base/last-camera.ts'
import { partOf } from './base/view.ts'
import { fleetBounds, isFleetIn } from './fleet/fleet-bounds.ts'
import { seenOf } from './fleet/seen.ts'
import type { LiveFleet } from './layer/live-fleet.ts'
import { useFromLive } from './layer/use-live-fleet.ts'
import { type Places, placeBounds } from './places/places.ts'

/** The zoom for one object. */
const OBJECT_ZOOM = 14

type Opening = {
  organization: number
  places: Places
  /** The object of the address. */
  selected: number | undefined
  /** A day's track is fitted into view instead. */
  isTracked: boolean
  /** The object that was clicked on the map, which therefore is in view. */
  pointed: RefObject<number | undefined>
}

/**
 * The map opens on the object of the address, else where it was left in this browser if something of the fleet is
 * there, else on the fleet, else on the places. Later it flies to each object that is selected outside of the map.
 */
export function useCamera(
  map: MapLibre | undefined,
  live: LiveFleet | undefined,
  { organization, places, selected: chosen, isTracked, pointed }: Opening,
): void {
  const isWhole = useFromLive(live, 250, (each) => each.state() === 'open') ?? false
  const { geofences, routes, sites } = places
  const arePlacesKnown = geofences !== undefined && routes !== undefined && sites !== undefined
  const selected = isTracked ? undefined : chosen
  const before = useRef<{ live: LiveFleet; selected: number | undefined }>(undefined)
  const latest = useRef(places)
  latest.current = places

  useEffect(() => {
    if (!isWhole || map === undefined || live === undefined) return
    const isFirst = before.current?.live !== live
    // Without a fleet, the map opens on the places.
    if (isFirst && live.fleet.size === 0 && !arePlacesKnown) return
    // A stream that was lost and came back moves nothing.
    if (!isFirst && before.current?.selected === selected) return
    before.current = { live, selected }
    if (pointed.current !== selected || isFirst) {
      const isShown = selected !== undefined && flyTo(map, live, selected, !isFirst)
      if (isFirst && !isShown && !isTracked) open(map, live, organization, latest.current)
    }
    pointed.current = undefined
  }, [isWhole, arePlacesKnown, map, live, selected, isTracked, organization, pointed])

  useEffect(() => {
    if (map === undefined) return
    const keep = () => before.current !== undefined && keepCamera(organization, map)
    map.on('moveend', keep)
    return () => {
      map.off('moveend', keep)
    }
  }, [map, organization])
}

function open(map: MapLibre, live: LiveFleet, organization: number, places: Places): void {
  const isLeftHere = lastCamera(organization) !== undefined
  if (isLeftHere && isFleetIn(live.fleet, partOf(map))) return
  const around = fleetBounds(live.fleet) ?? placeBounds(places)
  if (around !== undefined) fit(map, around, OBJECT_ZOOM, { animate: false })
}

/** False if the object has no position yet. */
export function flyTo(map: MapLibre, { fleet }: LiveFleet, id: number, isAnimated = true): boolean {
  const seen = seenOf(fleet, id)
  if (seen === null) return false
  const center: [number, number] = [seen.longitude, seen.latitude]
  const camera = { center, zoom: Math.max(OBJECT_ZOOM, map.getZoom()) }
  if (isAnimated) map.flyTo(camera)
  else map.jumpTo(camera)
  return true
}

/** Fits all objects of these motions. */
export function fitFleet(map: MapLibre, { fleet }: LiveFleet, bits: number): void {
  const around = fleetBounds(fleet, bits)
  if (around !== undefined) fit(map, around, OBJECT_ZOOM)
}
