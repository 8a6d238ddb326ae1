import Flatbush from 'flatbush'
import type { Geofence, Site } from '../../../base/domain/places/place.ts'
import type { Box, VisitedType } from '../../../base/domain/record.ts'
import { circleZone, ringZone, type Zone } from './zone.ts'

export type VisitedPlace = { readonly placeType: VisitedType; readonly place: number }

/** Finds the places of an organization that contain a point. */
export type PlaceIndex = {
  /** The geofences by id, then the sites by id. The array must not be changed. */
  at(latitude: number, longitude: number): readonly VisitedPlace[]
}

export type ZonedPlace = VisitedPlace & { zone: Zone }

/** A place in the index. Add `turn` to the longitude of a point before you compare it with the box. */
type Item = ZonedPlace & { turn: number }

const NOWHERE: readonly VisitedPlace[] = []

/** Degrees. Consecutive rows of an object are usually in the same cell. */
const CELL = 0.01

export function placeIndex(
  geofences: Iterable<Pick<Geofence, 'id' | 'coordinates'>>,
  sites: Iterable<Pick<Site, 'id' | 'latitude' | 'longitude' | 'radius'>>,
): PlaceIndex {
  return zoneIndex(zonesOf(geofences, sites))
}

/** The index of places whose zones are known, geofences first, each by id. */
export function zoneIndex(zones: Iterable<ZonedPlace>): PlaceIndex {
  const items = Array.from(zones).flatMap((each) => [...turnsOf(each)])
  if (items.length === 0) return { at: () => NOWHERE }
  const tree = new Flatbush(items.length)
  for (const { zone, turn } of items) {
    const { west, south, east, north } = zone.box
    tree.add(west - turn, south, east - turn, north)
  }
  tree.finish()

  let cell = { column: Number.NaN, row: Number.NaN, items: [] as Item[] }
  function near(latitude: number, longitude: number): Item[] {
    const column = Math.floor(longitude / CELL)
    const row = Math.floor(latitude / CELL)
    if (cell.column !== column || cell.row !== row) {
      const [west, south] = [column * CELL, row * CELL]
      const found = tree.search(west - EDGE, south - EDGE, west + CELL + EDGE, south + CELL + EDGE)
      cell = { column, row, items: found.sort((a, b) => a - b).map((index) => items[index]!) }
    }
    return cell.items
  }

  return {
    at(latitude, longitude) {
      let found: VisitedPlace[] | null = null
      for (const item of near(latitude, longitude)) {
        if (!isInside(item, latitude, longitude)) continue
        if (found === null) found = [item]
        // A ring that spans a whole turn is in the index twice.
        else if (!found.some((other) => isSamePlace(other, item))) found.push(item)
      }
      return found ?? NOWHERE
    },
  }
}

/** Rounding must not move a point out of its cell. */
const EDGE = 1e-9

export function isSamePlace(a: VisitedPlace, b: VisitedPlace): boolean {
  return a.place === b.place && a.placeType === b.placeType
}

function isInside({ zone, turn }: Item, latitude: number, longitude: number): boolean {
  const { west, south, east, north } = zone.box
  const x = longitude + turn
  return (
    x >= west && x <= east && latitude >= south && latitude <= north && zone.contains(latitude, x)
  )
}

function* zonesOf(
  geofences: Iterable<Pick<Geofence, 'id' | 'coordinates'>>,
  sites: Iterable<Pick<Site, 'id' | 'latitude' | 'longitude' | 'radius'>>,
): Generator<ZonedPlace> {
  for (const geofence of byId(geofences)) {
    yield { placeType: 'geofence', place: geofence.id, zone: ringZone(geofence) }
  }
  for (const site of byId(sites)) {
    const zone = circleZone(site)
    if (zone !== null) yield { placeType: 'site', place: site.id, zone }
  }
}

function byId<T extends { id: number }>(places: Iterable<T>): T[] {
  return [...places].sort((a, b) => a.id - b.id)
}

/** One item for each turn by which longitudes from -180 to 180 get into the box. */
function* turnsOf({ placeType, place, zone }: ZonedPlace): Generator<Item> {
  const { west, east } = zone.box
  const first = Math.ceil((west - 180) / 360)
  for (let turn = first * 360; turn - 180 <= east; turn += 360) {
    yield { placeType, place, zone, turn }
  }
}

/** Whether a segment with this box may have a position in a zone. */
export function mayMeet(segment: Box, { box }: Zone): boolean {
  if (segment.south > box.north || segment.north < box.south) return false
  // The longitudes of the zone may continue beyond 180, on either side.
  return [-360, 0, 360].some(
    (turn) => segment.west + turn <= box.east && segment.east + turn >= box.west,
  )
}
