import type { KeyObject } from 'node:crypto'
import type { Roster } from '../../directory/fleet-object.ts'
import type { RecordType } from '../../domain/change-types.ts'
import { formatInstant } from '../../domain/time/time.ts'
import type { RecordPlace, RecordQuery } from '../../store/record-store.ts'
import type { TakenRoom } from '../changes/page-room.ts'
import { rowsByObject } from '../disclosed.ts'
import { MAP_FORMATS } from '../encode/formats/formats.ts'
import { rowForm } from '../encode/formats/row-form.ts'
import { recordKind } from '../encode/row-kinds.ts'
import { rowsBody } from '../encode/rows-body.ts'
import type { ChargeLater, Due } from '../limits.ts'
import { type Answer, type Call, type Operation, PREFIX } from '../operation.ts'
import {
  openRecordsCursor,
  type PagedRecords,
  sealRecordsCursor,
} from '../parameters/records-cursor.ts'
import { readRecordsQuery } from '../parameters/records-query.ts'
import { mustBeAbleToPay, objectsFrom } from '../positions/charge-objects.ts'
import { hasPlaces, type RecordSources, recordContext } from '../records/record-context.ts'
import { recordProgress } from '../records/record-progress.ts'
import { readRecordsPage, selectRecords } from '../records/record-selection.ts'
import { invalidCursor, placeNotFound, type Refusal } from '../refusal.ts'
import { answerInRoom } from '../reply/answer-in-room.ts'

/** `GET /trips`, `/stops`, `/visits`: the records of a time range. Charges 1 to each object of a page. */
export const listTrips = listRecords('listTrips', 'trips')
export const listStops = listRecords('listStops', 'stops')
export const listVisits = listRecords('listVisits', 'visits')

function listRecords(id: string, type: RecordType): Operation {
  return {
    id,
    isPosition: true,
    openedBy: ['records'],
    isPublic: false,
    formats: MAP_FORMATS,
    async prepare(call) {
      const { api, fleet, organization } = call
      const asked = readRecordsQuery(call.query, type, api.historyLimits)
      if ('status' in asked) return asked
      const paged = { organization: organization.id, type, asked }
      const after = openRecordsCursor(api.secret, paged)
      if (after === undefined) return invalidCursor
      const all = await fleet.objects()
      const place = { own: all, after, now: api.clock.now() }
      const query = selectRecords(organization, type, asked, place)
      if ('status' in query) return query
      const { places } = query
      const due = mustBeAbleToPay(organization, objectsFrom(after, query.objects ?? all.keys()))
      return {
        due,
        shown: [],
        ...(places && {
          async checkStored() {
            const has = await hasPlaces(api.views, organization.id, places)
            return has ? undefined : placeNotFound
          },
        }),
        answer(_states, charge) {
          const room = api.rowRoom.take(organization.id, query.limit)
          const inRoom = { ...query, limit: room.entries }
          const selection = { paged, query: inRoom, all, due, room }
          return answerInRoom(room, () => answer(call, selection, charge))
        },
      }
    },
  }
}

type Selection = {
  paged: PagedRecords
  query: RecordQuery
  all: Roster
  due: Due | null
  room: TakenRoom
}

async function answer(
  call: Call,
  { paged, query, all, due, room }: Selection,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { api, format, organization } = call
  // Before the page, which may contain more than is said of it, but never less.
  const progress = await recordProgress(api.records, organization.id)
  const page = await readRecordsPage(api.records, organization.id, query, all)
  room.keep(page.records.length)
  const objects = [...new Set(page.records.map(({ object }) => object))]
  const refused = await charge({ ...due, objects, isLimited: true })
  if (refused !== undefined) return refused.refusal
  const context = await recordContext(sourcesOf(call, all), page.records)
  return {
    body: await rowsBody(page.records, rowForm(format, recordKind(query.type, context))),
    next: page.next === null ? undefined : api.url + nextPage(api.secret, paged, page.next),
    recordsUntil: progress?.at || undefined,
    disclosed: rowsByObject(page.records.map(({ object }) => object)),
  }
}

function sourcesOf({ api, fleet, organization }: Call, objects: Roster): RecordSources {
  const { views, knownAddresses } = api
  return {
    ...{ organization, objects, views, knownAddresses },
    async states(ids) {
      const own = ids.map((id) => objects.get(id)!)
      const joined = await fleet.states.join(own, null)
      return new Map(joined.map(({ object, state }) => [object.id, state]))
    },
  }
}

function nextPage(secret: KeyObject, paged: PagedRecords, place: RecordPlace): string {
  const { type, asked } = paged
  const { range, ids, geofences, sites, minDurationSeconds, limit } = asked
  const query = new URLSearchParams({
    from_time: formatInstant(range.from),
    to_time: formatInstant(range.to),
    ...(ids && { ids: ids.join() }),
    ...(geofences && { geofences: geofences.join() }),
    ...(sites && { sites: sites.join() }),
    ...(minDurationSeconds > 0 && { min_duration: String(minDurationSeconds) }),
    limit: String(limit),
    cursor: sealRecordsCursor(secret, paged, place),
  })
  return `${PREFIX}/${type}?${query}`
}
