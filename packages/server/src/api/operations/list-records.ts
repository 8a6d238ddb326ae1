import { setTimeout as pause } from 'node:timers/promises'
import type { CachedObject, Roster } from '../../directory/fleet-object.ts'
import type { Organization } from '../../domain/organization.ts'
import { nothingKnown } from '../../domain/position/known-addresses.ts'
import { type DerivedRecord, keyOf } from '../../domain/record.ts'
import { shownFrom } from '../../domain/time/retention.ts'
import { formatInstant } from '../../domain/time/time.ts'
import type { RecordType } from '../../store/change-entries.ts'
import type { OwnedRecord, RecordProgress, RecordQuery } from '../../store/record-store.ts'
import type { Api } from '../api.ts'
import { encodeRecord, type RecordContext } from '../encode/record-rows.ts'
import { rowsBody } from '../encode/rows-body.ts'
import type { ChargeLater } from '../limits.ts'
import { type Answer, type Call, type Operation, PREFIX } from '../operation.ts'
import { invalidCursor, placeNotFound, type Refusal } from '../refusal.ts'
import { ownIds } from '../request/object-ids.ts'
import {
  openRecordsCursor,
  type RecordsScope,
  sealRecordsCursor,
} from '../request/records-cursor.ts'
import { type RecordsQuery, readRecordsQuery } from '../request/records-query.ts'

/** `GET /trips`, `/stops`, `/visits`: the records of a time range. Charges 1 to each object of a page. */
export const listTrips = listRecords('listTrips', 'trips')
export const listStops = listRecords('listStops', 'stops')
export const listVisits = listRecords('listVisits', 'visits')

type Place = { id: number; name: string }
/** The names of the places of a page, and of those asked for, as far as they exist. */
type PlaceNames = Record<'geofence' | 'site', ReadonlyMap<number, string>>
type Asked = { type: RecordType; asked: RecordsQuery; query: RecordQuery; all: Roster }

function listRecords(id: string, type: RecordType): Operation {
  return {
    id,
    isPosition: true,
    isPublic: false,
    async prepare(call) {
      const { api, fleet, organization } = call
      const asked = readRecordsQuery(call.query, type, api.limits)
      if ('status' in asked) return asked
      const scope = { organization: organization.id, type, asked }
      const after =
        asked.cursor === undefined ? null : openRecordsCursor(api.secret, scope, asked.cursor)
      if (after === undefined) return invalidCursor
      const all = await fleet.objects()
      const objects = asked.ids === undefined ? null : ownIds(asked.ids, all)
      if (objects !== null && 'status' in objects) return objects
      // Hide all expired records, purged already or not.
      const from = Math.max(asked.range.from, shownFrom(organization, api.clock.now()))
      const query: RecordQuery = {
        ...{ type, objects, after },
        range: { from, to: asked.range.to },
        places: placesOf(asked),
        minDuration: asked.minDurationSeconds * 1_000,
        // One more tells whether there is another page.
        limit: asked.limit + 1,
      }
      return {
        due: null,
        states: [],
        answer: (_states, charge) => answer(call, { type, asked, query, all }, charge),
      }
    },
  }
}

/** With one list only, visits to the other type of places are not asked for. */
function placesOf({ geofences, sites }: RecordsQuery): RecordQuery['places'] {
  if (geofences === undefined && sites === undefined) return null
  return { geofences: geofences ?? [], sites: sites ?? [] }
}

async function answer(
  call: Call,
  { type, asked, query, all }: Asked,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { api, organization } = call
  const { places, range } = query
  if (places !== null && !(await hasSome(api, organization, places))) return placeNotFound
  // Before the page, which may contain more than is said of it, but never less.
  const progress = await progressOf(api, organization.id)
  const found = range.from > range.to ? [] : await api.records.page(organization.id, query)
  const page = found.slice(0, asked.limit).filter(({ object }) => all.has(object))
  const objects = [...new Set(page.map(({ object }) => object))]
  const refused = objects.length > 0 ? await charge({ objects, isLimited: true }) : undefined
  if (refused !== undefined) return refused.refusal
  const last = found[asked.limit - 1]
  const scope = { organization: organization.id, type, asked }
  const context = await contextOf(call, all, page)
  return {
    body: await rowsBody(page, (record) => encodeRecord(record, context)),
    next: found.length > asked.limit ? api.url + nextPage(api, scope, last!) : undefined,
    recordsUntil: progress?.at || undefined,
  }
}

/** The first request of an organization has its records derived, and waits for a short history. */
const MAX_FIRST_WAIT_MS = 5_000
const LOOK_EVERY_MS = 50

async function progressOf(
  { records }: Api,
  organization: number,
): Promise<RecordProgress | undefined> {
  const read = async () => (await records.progress([organization])).get(organization)
  let progress = await read()
  if (progress !== undefined) return progress
  await records.want(organization)
  for (let waited = 0; !progress?.at && waited < MAX_FIRST_WAIT_MS; waited += LOOK_EVERY_MS) {
    await pause(LOOK_EVERY_MS)
    progress = await read()
  }
  return progress
}

async function hasSome(
  api: Api,
  { id }: Organization,
  { geofences, sites }: NonNullable<RecordQuery['places']>,
): Promise<boolean> {
  const names = await readNames(api, id, geofences, sites)
  return names.geofence.size + names.site.size > 0
}

async function readNames(
  api: Api,
  organization: number,
  geofences: readonly number[],
  sites: readonly number[],
): Promise<PlaceNames> {
  const named = (places: readonly Place[]) => new Map(places.map(({ id, name }) => [id, name]))
  const none: PlaceNames = { geofence: new Map(), site: new Map() }
  if (geofences.length === 0 && sites.length === 0) return none
  const names = await api.changes.view(organization, async (view) => ({
    geofence: named(await view.items('geofences', geofences)),
    site: named(await view.items('sites', sites)),
  }))
  return names ?? none
}

async function contextOf(
  { api, fleet, organization }: Call,
  all: Roster,
  page: readonly OwnedRecord[],
): Promise<RecordContext> {
  const records = page.map(({ record }) => record)
  const visited = (type: 'geofence' | 'site') => [...new Set(visitedPlaces(records, type))]
  const names = await readNames(api, organization.id, visited('geofence'), visited('site'))
  const addressAt = (await api.knownAddresses?.(organization.language)) ?? nothingKnown
  const lacking = page.filter(({ record }) => lacksAddress(record)).map(({ object }) => object)
  const own = [...new Set(lacking)].map((id) => all.get(id)!)
  const states = await fleet.states.join(own, null)
  const cached = new Map<number, CachedObject>(states.map((each) => [each.object.id, each]))
  return {
    unit: organization.distanceUnit,
    object: (id) => all.get(id)!.object,
    addressAt(object, latitude, longitude) {
      const known = addressAt(latitude, longitude)
      if (known !== null) return known.text
      const { state, object: settings } = cached.get(object)!
      return state.address?.value ?? settings.address
    },
    placeName: (placeType, place) => names[placeType].get(place) ?? null,
  }
}

function visitedPlaces(records: readonly DerivedRecord[], type: 'geofence' | 'site'): number[] {
  return records.flatMap((record) =>
    record.kind === 'visit' && record.placeType === type ? [record.place] : [],
  )
}

function lacksAddress(record: DerivedRecord): boolean {
  if (record.kind === 'visit') return false
  if (record.kind === 'stop') return record.address === null
  return record.from.address === null || record.to?.address === null
}

function nextPage({ secret }: Api, scope: RecordsScope, { object, record }: OwnedRecord): string {
  const { type, asked } = scope
  const { range, ids, geofences, sites, minDurationSeconds, limit } = asked
  const query = new URLSearchParams({
    from_time: formatInstant(range.from),
    to_time: formatInstant(range.to),
    ...(ids && { ids: ids.join() }),
    ...(geofences && { geofences: geofences.join() }),
    ...(sites && { sites: sites.join() }),
    ...(minDurationSeconds > 0 && { min_duration: String(minDurationSeconds) }),
    limit: String(limit),
    cursor: sealRecordsCursor(secret, scope, { object, ...keyOf(record) }),
  })
  return `${PREFIX}/${type}?${query}`
}
