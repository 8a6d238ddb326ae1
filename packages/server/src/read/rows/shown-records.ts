import type { StoredAttribute } from '../../base/domain/attributes/attribute-catalogue.ts'
import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import type { Organization, ShownFrom } from '../../base/domain/organization.ts'
import type { Geofence, Site } from '../../base/domain/places/place.ts'
import { type KnownAddresses, nothingKnown } from '../../base/domain/position/object-state.ts'
import { type DerivedRecord, keyOf, type VisitedType } from '../../base/domain/record.ts'
import { clientGone } from '../../base/http/send-whole.ts'
import type { Summaries } from '../../engine/journeys/days/attribute-spans.ts'
import { type AttributeView, SummaryReader } from '../../engine/journeys/days/summary-reader.ts'
import type { LevelEntries } from '../../engine/journeys/levels/level-digests.ts'
import type { ReaderView, ReaderViews } from '../../engine/store/change-log.ts'
import type { OwnedRecord, PlaceIds, RecordQuery } from '../../engine/store/record-store.ts'
import type { Call } from '../call.ts'
import { position } from '../encode/listed-fields.ts'
import type { RecordContext, ShownRecord } from '../encode/record-fields.ts'
import { shownRecord } from '../encode/record-rows.ts'
import { type Geometry, pointOf, polygonOf } from '../formats/geojson.ts'
import { degrees } from '../formats/number-format.ts'
import type { RecordsPage } from './record-selection.ts'
import { viewOf } from './whole-answer.ts'

/*
 * The records of an answer, with what its rows show of objects and places.
 */

/** The data of an organization that rows show with the records. */
export type RecordSources = {
  readonly organization: Organization
  /** All objects, by id. */
  readonly objects: ReadonlyMap<number, { readonly object: MonitoredObject }>
  readonly views: ReaderViews
  /** The levels whose changes rows show. */
  readonly levels: LevelEntries | null
  /** Null if only packets bring addresses. */
  readonly knownAddresses: KnownAddresses | null
}

/** The places that exist, by id. */
type Places = {
  readonly geofence: ReadonlyMap<number, Geofence>
  readonly site: ReadonlyMap<number, Site>
}

/** Reads everything that the rows of a page show with its records. */
export async function recordContext(
  { organization, objects, views, knownAddresses, levels }: RecordSources,
  page: readonly OwnedRecord[],
): Promise<RecordContext> {
  const records = page.map(({ record }) => record)
  const visited = { geofences: placesIn(records, 'geofence'), sites: placesIn(records, 'site') }
  const places = await readPlaces(views, organization.id, visited)
  const names = levelNames(levels ?? [])
  return {
    unit: organization.distanceUnit,
    object: (id) => objects.get(id)!.object,
    addressAt: (await knownAddresses?.(organization.language)) ?? nothingKnown,
    placeName: (placeType, place) => places[placeType].get(place)?.name ?? null,
    attributeName: (attribute) => names.get(attribute)!,
    placeGeometry: (placeType, place) => geometryOf(places, placeType, place),
  }
}

/** The names of levels by their ids. */
export function levelNames(levels: LevelEntries): ReadonlyMap<number, string> {
  return new Map(levels.map(({ id, name }) => [id, name]))
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

/** Number of objects whose records are read in one view. */
const OBJECTS_AT_ONCE = 250
/** Number of records that are read in one view. The last object of a view is read completely. */
const RECORDS_AT_ONCE = 1_000
/** The same for records with attributes, which take more time because they need rows. */
const SUMMED_AT_ONCE = 100
/** No limit. */
const ALL = 2 ** 31 - 1

/** The reads of a whole answer. */
type RecordReading = {
  readonly call: Call
  /** A query for the same records. Only its selection counts, not its page. */
  readonly query: RecordQuery
  readonly sources: RecordSources
  /** The attributes of the records. Null: none. */
  readonly summaries: AskedSummaries | null
}

/** Returns the objects that have at least one record. */
export async function withRecords(
  { call, query: { objects: _, after, limit, ...selection } }: RecordReading,
  objects: readonly number[],
): Promise<number[]> {
  if (selection.range.from > selection.range.to) return []
  return viewOf(call, (view) => view.withRecords({ ...selection, objects }))
}

/** The number of records of an object, counted up to `atMost`. */
export async function countRecords(
  { call, query }: RecordReading,
  object: number,
  atMost: number,
): Promise<number> {
  let count = 0
  let after: RecordQuery['after'] = null
  while (count < atMost) {
    const limit = Math.min(RECORDS_AT_ONCE, atMost - count)
    const page: RecordQuery = { ...query, objects: [object], after, limit }
    const records: OwnedRecord[] = await viewOf(call, (view) => view.page(page))
    count += records.length
    if (records.length < limit) break
    after = { object, ...keyOf(records.at(-1)!.record) }
  }
  return count
}

/**
 * The records of the objects, in ascending order of object ids. The records of one object come from one view. No view
 * waits for the client.
 */
export async function* recordsOfAll(
  reading: RecordReading,
  objects: readonly number[],
): AsyncGenerator<ShownRecord[]> {
  const { call, sources } = reading
  const { api, key } = call
  for (let from = 0; from < objects.length; ) {
    const group = objects.slice(from, from + OBJECTS_AT_ONCE)
    const { records, isCut } = await readSome(reading, group)
    from += isCut ? group.indexOf(records.at(-1)!.object) + 1 : group.length
    for (let at = 0; at < records.length; at += RECORDS_AT_ONCE) {
      const slice = records.slice(at, at + RECORDS_AT_ONCE)
      const context = await recordContext(sources, slice)
      for (const { object } of slice) api.disclosures.rows(key, 'records', object, 1)
      yield slice.map((owned) => shownRecord(owned, context, owned.attributes))
    }
  }
}

type SomeRecords = {
  records: (OwnedRecord & Partial<SummedRecord>)[]
  /** Whether the objects after that of the last record have not been read yet. */
  isCut: boolean
}

/** All records of the first of these objects. Attributes are computed in the turn of the organization. */
function readSome(
  { call, query, summaries }: RecordReading,
  objects: readonly number[],
): Promise<SomeRecords> {
  if (summaries === null) {
    return viewOf(call, (view) => recordsOfSome(view, query, objects, RECORDS_AT_ONCE))
  }
  const work = () =>
    viewOf(call, async (view) => {
      const { records, isCut } = await recordsOfSome(view, query, objects, SUMMED_AT_ONCE)
      return { records: await summedRecords(view, records, summaries), isCut }
    })
  const { api, organization, request } = call
  return api.inReportTurn(organization.id, work, clientGone(request.connection))
}

async function recordsOfSome(
  view: ReaderView,
  query: RecordQuery,
  objects: readonly number[],
  limit: number,
): Promise<SomeRecords> {
  const records = await view.page({ ...query, objects, after: null, limit })
  const last = records.at(-1)
  if (last === undefined || records.length < limit) return { records, isCut: false }
  const { object, record } = last
  const after = { object, ...keyOf(record) }
  const rest = await view.page({ ...query, objects: [object], after, limit: ALL })
  return { records: records.concat(rest), isCut: true }
}

/** After this many rows for attributes, a page ends with the current record. */
const MAX_ROWS = 200_000

/** The attributes that records show, and the first moment from which rows count. */
export type AskedSummaries = {
  readonly entries: readonly StoredAttribute[]
  readonly keptFrom: ShownFrom
}

/** A record with its attributes by entry. */
export type SummedRecord = OwnedRecord & { readonly attributes: Summaries }

/** The records with their attributes, until enough rows are read. At least one record, if there are any. */
async function summedRecords(
  view: AttributeView,
  records: readonly OwnedRecord[],
  { entries, keptFrom }: AskedSummaries,
  maxRows = Number.POSITIVE_INFINITY,
): Promise<SummedRecord[]> {
  const reader = new SummaryReader(view, entries, keptFrom)
  const summed: SummedRecord[] = []
  for (const owned of records) {
    const { start, end, until } = owned.record
    const attributes = await reader.of({ object: owned.object, start, until: end ?? until })
    summed.push({ ...owned, attributes })
    if (reader.cost >= maxRows) break
  }
  return summed
}

/** A page with the attributes of its records. It ends earlier if they need many rows. */
export async function summedPage(
  view: AttributeView,
  page: RecordsPage,
  asked: AskedSummaries,
): Promise<Omit<RecordsPage, 'rows'> & { readonly rows: readonly SummedRecord[] }> {
  const rows = await summedRecords(view, page.rows, asked, MAX_ROWS)
  if (rows.length === page.rows.length) return { ...page, rows }
  const { object, record } = rows.at(-1)!
  return { rows, next: { object, ...keyOf(record) } }
}
