import type { KeyObject } from 'node:crypto'
import type { RecordType } from '../../../base/domain/item-rules.ts'
import { type LevelEntries, levelEntries } from '../../../engine/journeys/levels/level-digests.ts'
import type { OwnedRecord, RecordOffset, RecordQuery } from '../../../engine/store/record-store.ts'
import type { Answer, Call } from '../../../read/call.ts'
import type { ShownRecord } from '../../../read/encode/record-fields.ts'
import { recordKindWith, shownRecord } from '../../../read/encode/record-rows.ts'
import {
  type RowForm,
  rowForm,
  rowsBody,
  rowsParts,
  wholeOrStreamed,
} from '../../../read/encode/rows.ts'
import { MAP_FORMATS } from '../../../read/formats/formats.ts'
import { ATTRIBUTES, entriesIfAsked } from '../../../read/parameters/attribute-parameters.ts'
import { PAGE_ROWS, RECORDS_LIMIT } from '../../../read/parameters/number-parameters.ts'
import { ONLY_IDS, SITES } from '../../../read/parameters/object-parameters.ts'
import { CURSOR } from '../../../read/parameters/page-cursor.ts'
import { RECORDS_RANGE } from '../../../read/parameters/time-range.ts'
import {
  invalidCursor,
  placeNotFound,
  quotaExhausted,
  type Refusal,
  rangeAboveMaximum,
  repeatedParameter,
  rowsAboveMaximum,
} from '../../../read/refusal.ts'
import type { ChargeLater } from '../../../read/request-limits.ts'
import {
  type AskedRows,
  chargePage,
  mustBeAbleToPay,
  objectsFrom,
} from '../../../read/rows/charge-objects.ts'
import type { TakenRoom } from '../../../read/rows/page-room.ts'
import {
  type PagedRecords,
  RECORDS,
  RECORDS_CURSORS,
  type RecordsPage,
  readRecordsPage,
  selectRecords,
  untilDerived,
} from '../../../read/rows/record-selection.ts'
import {
  type AskedSummaries,
  countRecords,
  hasPlaces,
  type RecordSources,
  recordContext,
  recordsOfAll,
  type SummedRecord,
  summedPage,
  withRecords,
} from '../../../read/rows/shown-records.ts'
import {
  answerInRoom,
  COSTS_OF_ROWS,
  viewOf,
  wholeAnswer,
} from '../../../read/rows/whole-answer.ts'
import { atDepot, inDepot, refuelled, toHarbour } from '../../../read/schemas/examples.ts'
import type { DescribedResult } from '../../../read/schemas/schemas.ts'
import { type Operation, PREFIX } from '../operation.ts'

/** `GET /trips`, `/stops`, `/visits`, `/levels`: the records of a time range. Charges 1 to each object of an answer. */
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

export const listLevels = listRecords('levels', {
  id: 'listLevels',
  summary: 'List changes of levels',
  selection:
    'The rises and falls of levels, such as refueling or a fuel drain, that overlap a range of time. A level is smoothed, and a change is greater than its threshold.',
  result: { rows: 'Level', example: [refuelled] },
})

type About = { id: string; summary: string; selection: string; result: DescribedResult }

function listRecords(type: RecordType, { id, summary, selection, result }: About): Operation {
  const isOfPlaces = type === 'visits'
  return {
    id,
    summary,
    result,
    path: `/${type}`,
    tag: 'Records',
    description: `${selection} They come by object id, then by start. Late positions, recalculations and edited places change records: \`revision\` grows, and \`id\` stays. ${COSTS_OF_ROWS}`,
    parameters: RECORDS[type],
    success: `The ${type} of the range, or a page of them.`,
    headers: ['X-Records-Until'],
    badRequests: [
      ...RECORDS_RANGE.refusals,
      ...RECORDS_LIMIT.refusals,
      ...CURSOR.refusals,
      ...ONLY_IDS.refusals,
      ...(isOfPlaces ? SITES.refusals : ATTRIBUTES.refusals),
      repeatedParameter('limit'),
      rowsAboveMaximum(100_000),
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
      const chosen = type === 'levels' ? (asked.attributes ?? 'all') : asked.attributes
      const entries = await entriesIfAsked(call, chosen)
      if (entries !== null && 'status' in entries) return entries
      const levels = type === 'levels' ? levelEntries(entries!) : null
      const paged = { organization: organization.id, type, asked }
      const after = RECORDS_CURSORS.open(api.secret, paged, asked.cursor)
      if (after === undefined) return invalidCursor
      const all = await fleet.objects()
      const page = { own: all, after, now: api.clock.now(), levels }
      const query = selectRecords(organization, type, asked, page)
      if ('status' in query) return query
      const { places } = query
      const objects = objectsFrom(after, query.objects ?? all.keys())
      const { skipsExhausted, limit, cursor } = asked
      const payment = { before: mustBeAbleToPay(organization, objects), skipsExhausted }
      const keptFrom = query.shownFrom
      const summaries = levels === null && entries !== null ? { entries, keptFrom } : null
      const selection = { paged, query, summaries, levels, objects, all, payment }
      const isWhole = limit === null && cursor === undefined
      return {
        due: skipsExhausted ? null : payment.before,
        shown: [],
        ...(isOfPlaces &&
          places && {
            async checkStored() {
              const has = await hasPlaces(api.views, organization.id, places)
              return has ? undefined : placeNotFound
            },
          }),
        async answer(_states, charge) {
          // First: the records may be newer than `X-Records-Until` says, but never older.
          const derived = await untilDerived(call)
          if ('status' in derived) return derived
          const answered = await (isWhole ? answerWhole : answerPage)(call, selection, charge)
          return 'status' in answered ? answered : { ...answered, recordsUntil: derived.at }
        },
      }
    },
  }
}

type Selection = AskedRows & {
  paged: PagedRecords
  query: RecordQuery
  summaries: AskedSummaries | null
  levels: LevelEntries | null
}

function answerWhole(
  call: Call,
  selection: Selection,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { query, summaries, objects, all, payment } = selection
  const reading = { call, query, summaries, sources: sourcesOf(call, selection) }
  return wholeAnswer(
    call,
    {
      objects: objects.map((id) => all.get(id)!),
      payment,
      withRows: (ids) => withRecords(reading, ids),
      countRows: (object, atMost) => countRecords(reading, object, atMost),
      body: (charged) => {
        const ids = charged.map(({ object }) => object.id)
        const form = formOf(call, query, summaries)
        return wholeOrStreamed(rowsParts(recordsOfAll(reading, ids), form))
      },
    },
    charge,
  )
}

type ReadPage = Omit<RecordsPage, 'rows'> & {
  readonly rows: readonly (OwnedRecord & Partial<SummedRecord>)[]
}

function answerPage(
  call: Call,
  selection: Selection,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const room = call.api.rowRoom.take(call.organization.id, selection.query.limit)
  return answerInRoom(room, () => answerWithPage(call, selection, room, charge))
}

async function answerWithPage(
  call: Call,
  selection: Selection,
  room: TakenRoom,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { api, organization } = call
  const { paged, query, summaries, all } = selection
  const read = (payable: readonly number[] | null): Promise<ReadPage> => {
    const page = { ...query, objects: payable ?? query.objects, limit: room.entries }
    if (summaries === null) return readRecordsPage(api.records, organization.id, page, all)
    return viewOf(call, async (view) => {
      const records = { page: (_organization: number, asked: RecordQuery) => view.page(asked) }
      const read = await readRecordsPage(records, organization.id, page, all)
      return summedPage(view, read, summaries)
    })
  }
  const charged = await chargePage(selection, room, read, charge)
  if ('status' in charged) return charged
  const { page, rows, withheld, disclosed } = charged
  const context = await recordContext(sourcesOf(call, selection), rows)
  const shown = rows.map((owned) => shownRecord(owned, context, owned.attributes))
  return {
    body: await rowsBody(shown, formOf(call, query, summaries)),
    next: page.next === null ? undefined : api.url + nextPage(api.secret, paged, page.next),
    withheld,
    disclosed,
  }
}

function formOf(
  { format }: Call,
  { type }: RecordQuery,
  summaries: AskedSummaries | null,
): RowForm<ShownRecord> {
  return rowForm(format, recordKindWith(type, summaries?.entries ?? null))
}

function sourcesOf({ api, organization }: Call, { all, levels }: Selection): RecordSources {
  const { views, knownAddresses } = api
  return { organization, objects: all, levels, views, knownAddresses }
}

function nextPage(secret: KeyObject, paged: PagedRecords, last: RecordOffset): string {
  const { type, asked } = paged
  const cursor = RECORDS_CURSORS.seal(secret, paged, last)
  const limit = asked.limit ?? PAGE_ROWS
  return RECORDS[type].link(`${PREFIX}/${type}`, { ...asked, limit, cursor })
}
