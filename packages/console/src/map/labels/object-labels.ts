import type { FeatureCollection } from 'geojson'
import { latitudeAt, longitudeAt } from '../base/mercator.ts'
import type { Part } from '../base/view.ts'
import { ALL_SINGLE_ZOOM } from '../fleet/clusters.ts'
import { drawnAt, type Fleet, isShown } from '../fleet/fleet.ts'
import { isIn } from '../fleet/fleet-bounds.ts'
import type { KnownObjects } from './known-objects.ts'

/** From this zoom on objects bear their names: none of them is in a cluster. */
export const LABEL_ZOOM = ALL_SINGLE_ZOOM

/** More names in one view cannot be read. */
const MAX_LABELS = 100

export type Labeled = {
  /** One bit for each motion that is drawn. */
  bits: number
  /** An object that is drawn whatever its motion. */
  selected: number | undefined
}

/** Rows of the drawn objects in a part of the world, the selected one first. */
export function rowsToLabel(fleet: Fleet, part: Part, { bits, selected }: Labeled): number[] {
  const rows: number[] = []
  const first = selected === undefined ? undefined : fleet.rowOf.get(selected)
  if (first !== undefined && isIn(fleet, first, part)) rows.push(first)
  for (let row = 0; row < fleet.size && rows.length < MAX_LABELS; row++) {
    if (row === first || !isShown(fleet, row, bits)) continue
    if (isIn(fleet, row, part)) rows.push(row)
  }
  return rows
}

/** Points with the names of objects, where they are drawn at `now`. The first ones have precedence. */
export function labelFeatures(
  fleet: Fleet,
  rows: number[],
  known: Pick<KnownObjects, 'get'>,
  now: number,
): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: rows.flatMap((row, rank) => {
      const name = known.get(fleet.ids[row]!)?.name
      if (name === undefined) return []
      const [x, y] = drawnAt(fleet, row, now)
      return {
        type: 'Feature',
        properties: { name, rank },
        geometry: { type: 'Point', coordinates: [longitudeAt(x), latitudeAt(y)] },
      }
    }),
  }
}
