import type { KeyObject } from 'node:crypto'
import type { Roster } from '../../directory/fleet-object.ts'
import type { RecordType } from '../../domain/change-types.ts'
import type { RecordPlace, RecordQuery } from '../../store/record-store.ts'
import type { TakenRoom } from '../changes/page-room.ts'
import { rowsByObject } from '../disclosed.ts'
import { atDepot, inDepot, toHarbour } from '../documentation/examples.ts'
import type { DescribedResult } from '../documentation/schemas.ts'
import { MAP_FORMATS } from '../encode/formats/formats.ts'
import { rowForm } from '../encode/formats/row-form.ts'
import { recordKind } from '../encode/row-kinds.ts'
import { rowsBody } from '../encode/rows-body.ts'
import type { ChargeLater, Due } from '../limits.ts'
import { type Answer, type Call, type Operation, PREFIX } from '../operation.ts'
import { RECORDS_LIMIT } from '../parameters/numbers.ts'
import { ONLY_IDS, SITES } from '../parameters/object-ids.ts'
import { CURSOR } from '../parameters/page-cursor.ts'
import { type PagedRecords, RECORDS_CURSORS } from '../parameters/records-cursor.ts'
import { RECORDS } from '../parameters/records-query.ts'
import { RECORDS_RANGE } from '../parameters/time-range.ts'
import { mustBeAbleToPay, objectsFrom } from '../positions/charge-objects.ts'
import { hasPlaces, type RecordSources, recordContext } from '../records/record-context.ts'
import { recordProgress } from '../records/record-progress.ts'
import { readRecordsPage, selectRecords } from '../records/record-selection.ts'
import {
  invalidCursor,
  placeNotFound,
  quotaExhausted,
  type Refusal,
  rangeAboveMaximum,
  repeatedParameter,
} from '../refusal.ts'
import { answerInRoom } from '../reply/answer-in-room.ts'

/** `GET /trips`, `/stops`, `/visits`: the records of a time range. Charges 1 to each object of a page. */
export const listTrips = listRecords('trips', {
  id: 'listTrips',
  summary: 'List trips',
  selection: 'The trips of your fleet that overlap a range of time.',
  result: { rows: 'Trip', example: [toHarbour] },
})
export const listStops = listRecords('stops', {
  id: 'listStops',
  summary: 'List stops',
  selection: 'The stops of your fleet that overlap a range of time.',
  result: { rows: 'Stop', example: [atDepot] },
})
export const listVisits = listRecords('visits', {
  id: 'listVisits',
  summary: 'List visits',
  selection:
    'The stays of objects in geofences, and within the radius of sites, that overlap a range of time. One position inside is a visit. An absence of up to 2 minutes does not end it.',
  result: { rows: 'Visit', example: [inDepot] },
})

type About = { id: string; summary: string; selection: string; result: DescribedResult }

function listRecords(type: RecordType, { id, summary, selection, result }: About): Operation {
  const isOfPlaces = type === 'visits'
  return {
    ...{ id, summary, result },
    path: `/${type}`,
    tag: 'Records',
    description: `${selection} They come by object id, then by start. Late positions, recalculations and edited places change records: \`revision\` grows, and \`id\` stays. Each page costs 1 of the daily quota of each object in it. Where an object asked for is exhausted, on the page or not, the page is refused and no object charged.`,
    parameters: RECORDS[type],
    success: `The ${type} of the range, or a page of them.`,
    headers: ['X-Records-Until'],
    badRequests: [
      ...RECORDS_RANGE.refusals,
      ...RECORDS_LIMIT.refusals,
      ...CURSOR.refusals,
      ...ONLY_IDS.refusals,
      ...(isOfPlaces ? SITES.refusals : []),
      repeatedParameter('limit'),
      rangeAboveMaximum(31),
      quotaExhausted([1071]),
    ],
    errors: { 404: isOfPlaces ? 'ObjectOrPlaceNotFound' : 'ObjectNotFound' },
    isCharged: true,
    isPosition: true,
    openedBy: ['records'],
    isPublic: false,
    formats: MAP_FORMATS,
    async prepare(call) {
      const { api, fleet, organization } = call
      const asked = RECORDS[type].of(call)
      if ('status' in asked) return asked
      const paged = { organization: organization.id, type, asked }
      const after = RECORDS_CURSORS.open(api.secret, paged, asked.cursor)
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
  const cursor = RECORDS_CURSORS.seal(secret, paged, place)
  return RECORDS[type].link(`${PREFIX}/${type}`, { ...asked, cursor })
}
