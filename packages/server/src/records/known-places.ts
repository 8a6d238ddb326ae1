import type { VisitedType } from '../domain/record.ts'
import type { ItemTopic } from '../store/change-entries.ts'
import type { ChangeView, Items } from '../store/change-log.ts'
import { type PlaceIndex, placeIndex } from './rules/place-index.ts'
import { circleZone, ringZone, type Zone } from './rules/zone.ts'

/** The places of an organization in the memory of the process that derives its records. */
export type KnownPlaces = {
  readonly index: PlaceIndex
  /** Null if the place does not exist or has no area. */
  zoneOf(placeType: VisitedType, place: number): Zone | null
}

const AT_ONCE = 1_000

export async function readPlaces(view: ChangeView): Promise<KnownPlaces> {
  const geofences = await readAll(view, 'geofences')
  const sites = await readAll(view, 'sites')
  return {
    index: placeIndex(geofences.values(), sites.values()),
    zoneOf(placeType, place) {
      if (placeType === 'geofence') {
        const geofence = geofences.get(place)
        return geofence === undefined ? null : ringZone(geofence)
      }
      const site = sites.get(place)
      return site === undefined ? null : circleZone(site)
    },
  }
}

async function readAll<Topic extends ItemTopic>(
  view: ChangeView,
  topic: Topic,
): Promise<Map<number, Items[Topic]>> {
  const all = new Map<number, Items[Topic]>()
  for (let after = 0; ; ) {
    const items = await view.itemsAfter(topic, after, AT_ONCE)
    for (const item of items) all.set(item.id, item)
    if (items.length < AT_ONCE) return all
    after = items.at(-1)!.id
  }
}
