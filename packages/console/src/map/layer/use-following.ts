import type { Map as MapLibre } from 'maplibre-gl'
import { useEffect } from 'react'
import { latitudeAt, longitudeAt } from '../base/mercator.ts'
import { prefersStillness } from '../base/theme.ts'
import { GLIDE_MS } from '../fleet/glide.ts'
import type { LiveFleet } from './live-fleet.ts'

/** Keeps one object in the middle of the map and glides with it. */
export function useFollowing(
  map: MapLibre | undefined,
  live: LiveFleet | undefined,
  id: number | undefined,
): void {
  useEffect(() => {
    if (map === undefined || live === undefined || id === undefined) return
    let x: number | undefined
    let y: number | undefined
    const follow = () => {
      const row = live.fleet.rowOf.get(id)
      if (row === undefined || (live.fleet.x[row] === x && live.fleet.y[row] === y)) return
      x = live.fleet.x[row]!
      y = live.fleet.y[row]!
      const center: [number, number] = [longitudeAt(x), latitudeAt(y)]
      map.easeTo({
        center,
        duration: prefersStillness() ? 0 : GLIDE_MS,
        easing: (part) => part,
      })
    }
    follow()
    // Not during a frame: the camera must not change while the frame is drawn.
    return live.onChange(() => queueMicrotask(follow))
  }, [map, live, id])
}
