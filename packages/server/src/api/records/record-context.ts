import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { Organization } from '../../domain/organization.ts'
import { type KnownAddresses, nothingKnown } from '../../domain/position/known-addresses.ts'
import type { ObjectState } from '../../domain/position/object-state.ts'
import type { DerivedRecord, VisitedType } from '../../domain/record.ts'
import type { ReaderViews } from '../../store/change-log.ts'
import type { OwnedRecord, PlaceIds } from '../../store/record-store.ts'
import { addressOr, type RecordContext } from '../encode/record-rows.ts'

/** The parts of an organization that rows show beside the records. */
export type RecordSources = {
  readonly organization: Organization
  /** All objects, by id. */
  readonly objects: ReadonlyMap<number, { readonly object: MonitoredObject }>
  /** The states of these objects, as far as they have one. */
  states(objects: readonly number[]): Promise<ReadonlyMap<number, ObjectState>>
  readonly changes: ReaderViews
  /** Null if only packets bring addresses. */
  readonly knownAddresses: KnownAddresses | null
}

type Place = { id: number; name: string }
/** The names of places, as far as they exist. */
type PlaceNames = Record<VisitedType, ReadonlyMap<number, string>>

/** Reads all that the rows of a page show beside its records. */
export async function recordContext(
  { organization, objects, states, changes, knownAddresses }: RecordSources,
  page: readonly OwnedRecord[],
): Promise<RecordContext> {
  const records = page.map(({ record }) => record)
  const places = { geofences: placesIn(records, 'geofence'), sites: placesIn(records, 'site') }
  const names = await readNames(changes, organization.id, places)
  const addressAt = (await knownAddresses?.(organization.language)) ?? nothingKnown
  const lacking = page.filter(({ record }) => lacksAddress(record)).map(({ object }) => object)
  const stateOf = await states([...new Set(lacking)])
  return {
    unit: organization.distanceUnit,
    object: (id) => objects.get(id)!.object,
    addressAt(id, latitude, longitude) {
      return addressOr(addressAt(latitude, longitude), objects.get(id)!.object, stateOf.get(id))
    },
    placeName: (placeType, place) => names[placeType].get(place) ?? null,
  }
}

/** Whether the organization has one of these places. */
export async function hasPlaces(
  changes: RecordSources['changes'],
  organization: number,
  places: PlaceIds,
): Promise<boolean> {
  const names = await readNames(changes, organization, places)
  return names.geofence.size + names.site.size > 0
}

async function readNames(
  changes: RecordSources['changes'],
  organization: number,
  { geofences, sites }: PlaceIds,
): Promise<PlaceNames> {
  const named = (places: readonly Place[]) => new Map(places.map(({ id, name }) => [id, name]))
  const none: PlaceNames = { geofence: new Map(), site: new Map() }
  if (geofences.length === 0 && sites.length === 0) return none
  const names = await changes.view(organization, async (view) => ({
    geofence: named(await view.items('geofences', geofences)),
    site: named(await view.items('sites', sites)),
  }))
  return names ?? none
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
