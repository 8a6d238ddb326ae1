import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { Organization } from '../../domain/organization.ts'
import type { Geofence, Site } from '../../domain/places/place.ts'
import {
  type KnownAddresses,
  nothingKnown,
  type ObjectState,
} from '../../domain/position/object-state.ts'
import type { DerivedRecord, VisitedType } from '../../domain/record.ts'
import type { ReaderViews } from '../../store/change-log.ts'
import type { OwnedRecord, PlaceIds } from '../../store/record-store.ts'
import { position } from '../encode/listed-fields.ts'
import { degrees } from '../encode/numbers.ts'
import type { RecordContext } from '../encode/record-fields.ts'
import { addressOr } from '../encode/record-rows.ts'
import { type Geometry, pointOf, polygonOf } from '../formats/geojson.ts'

/** The parts of an organization that rows show with the records. */
export type RecordSources = {
  readonly organization: Organization
  /** All objects, by id. */
  readonly objects: ReadonlyMap<number, { readonly object: MonitoredObject }>
  /** The states of these objects, as far as they have one. */
  states(objects: readonly number[]): Promise<ReadonlyMap<number, ObjectState>>
  readonly views: ReaderViews
  /** Null if only packets bring addresses. */
  readonly knownAddresses: KnownAddresses | null
}

/** Places, as far as they exist. */
type Places = {
  readonly geofence: ReadonlyMap<number, Geofence>
  readonly site: ReadonlyMap<number, Site>
}

/** Reads all that the rows of a page show with its records. */
export async function recordContext(
  { organization, objects, states, views, knownAddresses }: RecordSources,
  page: readonly OwnedRecord[],
): Promise<RecordContext> {
  const records = page.map(({ record }) => record)
  const visited = { geofences: placesIn(records, 'geofence'), sites: placesIn(records, 'site') }
  const places = await readPlaces(views, organization.id, visited)
  const addressAt = (await knownAddresses?.(organization.language)) ?? nothingKnown
  const lacking = page.filter(({ record }) => lacksAddress(record)).map(({ object }) => object)
  const stateOf = await states([...new Set(lacking)])
  return {
    unit: organization.distanceUnit,
    object: (id) => objects.get(id)!.object,
    addressAt(id, latitude, longitude) {
      return addressOr(addressAt(latitude, longitude), objects.get(id)!.object, stateOf.get(id))
    },
    placeName: (placeType, place) => places[placeType].get(place)?.name ?? null,
    placeGeometry: (placeType, place) => geometryOf(places, placeType, place),
  }
}

/** Whether the organization has one of these places. */
export async function hasPlaces(
  views: RecordSources['views'],
  organization: number,
  places: PlaceIds,
): Promise<boolean> {
  const { geofence, site } = await readPlaces(views, organization, places)
  return geofence.size + site.size > 0
}

async function readPlaces(
  views: RecordSources['views'],
  organization: number,
  { geofences, sites }: PlaceIds,
): Promise<Places> {
  const byId = <Place extends { id: number }>(places: readonly Place[]) =>
    new Map(places.map((place) => [place.id, place]))
  const none: Places = { geofence: new Map(), site: new Map() }
  if (geofences.length === 0 && sites.length === 0) return none
  const places = await views.view(organization, async (view) => ({
    geofence: byId(await view.items('geofences', geofences)),
    site: byId(await view.items('sites', sites)),
  }))
  return places ?? none
}

function geometryOf(places: Places, type: VisitedType, id: number): Geometry | null {
  const place = places[type].get(id)
  if (place === undefined) return null
  return 'coordinates' in place
    ? polygonOf(place.coordinates.map(position))
    : pointOf(degrees(place.longitude), degrees(place.latitude))
}

function placesIn(records: readonly DerivedRecord[], type: VisitedType): number[] {
  const visited = records.flatMap((record) =>
    record.kind === 'visit' && record.placeType === type ? [record.place] : [],
  )
  return [...new Set(visited)]
}

function lacksAddress(record: DerivedRecord): boolean {
  if (record.kind === 'visit') return false
  if (record.kind === 'stop') return record.address === null
  return record.from.address === null || record.to?.address === null
}
