import type { Map as MapLibre } from 'maplibre-gl'
import { useEffect } from 'react'
import { prefersStillness } from '../base/stillness.ts'
import { GLIDE_MS } from '../fleet/glide.ts'
import { type Seen, seenOf } from '../fleet/seen.ts'
import type { LiveFleet } from './live-fleet.ts'

/** Keeps one object in the middle of the map and glides with it. */
export function useFollowing(
  map: MapLibre | undefined,
  live: LiveFleet | undefined,
  id: number | undefined,
): void {
  useEffect(() => {
    if (map === undefined || live === undefined || id === undefined) return
    let last: Seen | null = null
    const follow = () => {
      const seen = seenOf(live.fleet, id)
      if (
        seen === null ||
        (seen.longitude === last?.longitude && seen.latitude === last.latitude)
      ) {
        return
      }
      last = seen
      const center: [number, number] = [seen.longitude, seen.latitude]
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
