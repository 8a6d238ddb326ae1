import type { VisitedType } from '../domain/record.ts'
import { LAST_TIME, type TimeRange } from '../domain/time/time-range.ts'
import type { ChangeView } from '../store/change-log.ts'
import type { PlaceIds, SegmentSpan } from '../store/record-store.ts'
import type { KnownPlaces } from './known-places.ts'
import { mayMeet } from './rules/concerned.ts'
import type { VisitedPlace } from './rules/place-index.ts'

/**
 * Reads the visits of objects to edited places. Returns a function that gives the ranges of an object's rows in
 * which visits may begin, change or end by the edit.
 */
export async function editedPlaces(
  view: ChangeView,
  { zoneOf }: KnownPlaces,
  places: readonly VisitedPlace[],
  objects: readonly number[],
): Promise<(object: number, segments: readonly SegmentSpan[]) => TimeRange[]> {
  const zones = places
    .map(({ placeType, place }) => zoneOf(placeType, place))
    .filter((zone) => zone !== null)
  const visits = new Map<number, TimeRange[]>()
  for (const { object, record } of await view.visitsTo(idsOf(places), objects)) {
    const range = { from: record.start, to: record.until }
    const ranges = visits.get(object)
    if (ranges === undefined) visits.set(object, [range])
    else ranges.push(range)
  }
  return (object, segments) => [
    ...segments
      .filter(({ box }) => zones.some((zone) => mayMeet(box, zone)))
      .map(({ start, end }) => ({ from: start, to: end ?? LAST_TIME })),
    ...(visits.get(object) ?? []),
  ]
}

function idsOf(places: readonly VisitedPlace[]): PlaceIds {
  const ofType = (type: VisitedType) =>
    places.filter(({ placeType }) => placeType === type).map(({ place }) => place)
  return { geofences: ofType('geofence'), sites: ofType('site') }
}
