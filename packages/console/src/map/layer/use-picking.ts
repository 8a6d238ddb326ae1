import type { Map as MapLibre, MapMouseEvent } from 'maplibre-gl'
import { useEffect, useRef } from 'react'
import { latitudeAt, longitudeAt, mercatorX, mercatorY, worldPx } from '../base/mercator.ts'
import type { LiveFleet } from './live-fleet.ts'
import { type Picked, pick } from './pick.ts'

/** Zoom levels that a click on a cluster adds. */
const ZOOM_IN = 2

/** A click on an object selects it. A click on a cluster zooms in. */
export function usePicking(
  map: MapLibre | undefined,
  live: LiveFleet | undefined,
  onObject: (id: number) => void,
): void {
  const latest = useRef(onObject)
  latest.current = onObject

  useEffect(() => {
    if (map === undefined || live === undefined) return
    const canvas = map.getCanvas()

    function picked({ lngLat }: MapMouseEvent): Picked {
      const { fleet, drawn } = live!
      const x = mercatorX(lngLat.lng)
      const y = mercatorY(lngLat.lat)
      return pick(fleet, drawn.clusters(), x, y, worldPx(map!.getZoom()), performance.now())
    }
    function onClick(event: MapMouseEvent): void {
      const found = picked(event)
      if (found === undefined) return
      if ('row' in found) {
        latest.current(live!.fleet.ids[found.row]!)
        return
      }
      const { x, y } = live!.drawn.clusters()
      const center: [number, number] = [
        longitudeAt(x[found.cluster]!),
        latitudeAt(y[found.cluster]!),
      ]
      map!.easeTo({ center, zoom: map!.getZoom() + ZOOM_IN })
    }
    let looked = 0
    function onMove(event: MapMouseEvent): void {
      // At most once in a frame: pointers send events more often.
      if (event.originalEvent.timeStamp - looked < 30) return
      looked = event.originalEvent.timeStamp
      canvas.style.cursor = picked(event) === undefined ? '' : 'pointer'
    }

    map.on('click', onClick)
    map.on('mousemove', onMove)
    return () => {
      map.off('click', onClick)
      map.off('mousemove', onMove)
    }
  }, [map, live])
}
