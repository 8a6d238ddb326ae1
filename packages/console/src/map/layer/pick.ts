import type { Clusters } from '../fleet/clusters.ts'
import { clusterRadius } from '../fleet/clusters.ts'
import { drawnAt, type Fleet } from '../fleet/fleet.ts'

/** How far from an object a click still hits it: half of the smallest target size in WCAG 2.2 (24 px). */
const REACH_PX = 12

export type Picked = { row: number } | { cluster: number } | undefined

/** The object nearest to a place in the Mercator world, if it is within reach. */
export function pick(
  fleet: Fleet,
  clusters: Clusters,
  x: number,
  y: number,
  worldPx: number,
  now: number,
): Picked {
  for (let at = clusters.size - 1; at >= 0; at--) {
    const radius = clusterRadius(clusters.count[at]!)
    if (distance(clusters.x[at]!, clusters.y[at]!, x, y) * worldPx <= radius) return { cluster: at }
  }
  let nearest = -1
  let least = REACH_PX / worldPx
  for (let row = 0; row < clusters.single.length && row < fleet.size; row++) {
    if (clusters.single[row] === 0) continue
    // Filter by the target place first, then look where a gliding object is now.
    if (Math.abs(fleet.x[row]! - x) > least + 1e-4 || Math.abs(fleet.y[row]! - y) > least + 1e-4) {
      continue
    }
    const [rowX, rowY] = drawnAt(fleet, row, now)
    const away = distance(rowX, rowY, x, y)
    if (away > least) continue
    least = away
    nearest = row
  }
  return nearest < 0 ? undefined : { row: nearest }
}

function distance(x1: number, y1: number, x2: number, y2: number): number {
  return Math.hypot(x1 - x2, y1 - y2)
}
