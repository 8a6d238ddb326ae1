import { takeTurn } from '../../base/domain/common/slots.ts'
import type { Items, ItemTopic } from '../../base/domain/item-rules.ts'
import type { VisitedType } from '../../base/domain/record.ts'
import { LAST_TIME, type TimeRange } from '../../base/domain/time/time.ts'
import type { ChangeView } from '../store/change-log.ts'
import type { PlaceIds, SegmentSpan } from '../store/record-store.ts'
import { isPermanent } from './retries.ts'
import {
  mayMeet,
  type PlaceIndex,
  type VisitedPlace,
  type ZonedPlace,
  zoneIndex,
} from './rules/place-index.ts'
import { circleZone, ringZone, type Zone } from './rules/zone.ts'

/** The places of an organization in the memory of the process that derives its records. */
export type KnownPlaces = {
  readonly index: PlaceIndex
  /** Null if the place does not exist, has no area, or has a fault. */
  zoneOf(placeType: VisitedType, place: number): Zone | null
  /** The places whose stored area makes no sense. The index leaves them out. */
  readonly faults: readonly PlaceFault[]
}

type PlaceFault = { kind: VisitedType; id: number; error: unknown }

const AT_ONCE = 1_000

/** Others run after this time. */
const TURN_MS = 2

export async function readPlaces(view: ChangeView): Promise<KnownPlaces> {
  const zoned = new Map<string, ZonedPlace>()
  const faults: PlaceFault[] = []
  let turnAt = performance.now() + TURN_MS

  async function addAll<Topic extends 'geofences' | 'sites'>(
    topic: Topic,
    placeType: VisitedType,
    zoneOf: (item: Items[Topic]) => Zone | null,
  ): Promise<void> {
    for await (const item of itemsOf(view, topic)) {
      const { id } = item
      try {
        const zone = zoneOf(item)
        if (zone !== null) zoned.set(nameOf(placeType, id), { placeType, place: id, zone })
      } catch (error) {
        if (!isPermanent(error)) throw error
        faults.push({ kind: placeType, id, error })
      }
      if (performance.now() < turnAt) continue
      await takeTurn()
      turnAt = performance.now() + TURN_MS
    }
  }

  await addAll('geofences', 'geofence', ringZone)
  await addAll('sites', 'site', circleZone)
  return {
    index: zoneIndex(zoned.values()),
    zoneOf: (placeType, place) => zoned.get(nameOf(placeType, place))?.zone ?? null,
    faults,
  }
}

function nameOf(placeType: VisitedType, place: number): string {
  return `${placeType} ${place}`
}

/** All items by id. */
async function* itemsOf<Topic extends ItemTopic>(
  view: ChangeView,
  topic: Topic,
): AsyncGenerator<Items[Topic]> {
  for (let after = 0; ; ) {
    const items = await view.itemsAfter(topic, after, AT_ONCE)
    yield* items
    if (items.length < AT_ONCE) return
    after = items.at(-1)!.id
  }
}

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
