import type { Organization } from '../../../base/domain/organization.ts'
import { clientGone } from '../../../base/http/send-whole.ts'
import type { Roster } from '../../../data/cache/fleet-objects.ts'
import type { ObjectDay } from '../../../engine/journeys/days/day-totals.ts'
import type { WholeDays } from '../../../engine/journeys/days/kept-days.ts'
import {
  type DayOffset,
  type DaysSelection,
  readDays,
} from '../../../engine/journeys/days/read-days.ts'
import { committedAt } from '../../../engine/store/change-log.ts'
import type { Answer, Call } from '../../../read/call.ts'
import {
  type RowForm,
  rowForm,
  rowsBody,
  rowsParts,
  wholeOrStreamed,
} from '../../../read/encode/rows.ts'
import { maxRowsIn, TABLE_FORMATS } from '../../../read/formats/formats.ts'
import {
  ATTRIBUTES,
  boundTo,
  entriesIfAsked,
} from '../../../read/parameters/attribute-parameters.ts'
import { BY, DATES, DAYS, type DaysQuery, TIME_ZONE } from '../../../read/parameters/days-query.ts'
import { PAGE_ROWS, RECORDS_LIMIT } from '../../../read/parameters/number-parameters.ts'
import { ONLY_IDS, selectIds } from '../../../read/parameters/object-parameters.ts'
import { CURSOR, pageCursors } from '../../../read/parameters/page-cursor.ts'
import {
  invalidCursor,
  objectNotFound,
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
import {
  type DaysRange,
  dayKind,
  daysRange,
  type ShownDays,
  textEntry,
} from '../../../read/rows/day-rows.ts'
import type { TakenRoom } from '../../../read/rows/page-room.ts'
import { untilDerived } from '../../../read/rows/record-selection.ts'
import {
  answerInRoom,
  COSTS_OF_ROWS,
  viewOf,
  wholeAnswer,
} from '../../../read/rows/whole-answer.ts'
import { vanOnFriday } from '../../../read/schemas/examples.ts'
import { type Operation, PREFIX } from '../operation.ts'

const CURSORS = pageCursors<[Organization, DaysQuery], DayOffset>(
  ['object', 'day', 'rows'],
  ([{ id }, { dates, timeZone, ids, attributes, by }]) =>
    `days ${id} ${JSON.stringify([dates.from, dates.to, timeZone, ids, by])}${boundTo(attributes)} `,
)

/** `GET /days`: totals of objects on local days. Charges 1 to each object of an answer. */
export const listDays: Operation = {
  id: 'listDays',
  path: '/days',
  tag: 'Records',
  summary: 'List days',
  description: `Totals for each object and local day with positions, by object id, then by date. The server computes them from the positions when you ask. A leg is the distance and the time between two neighboring positions, and belongs to the day in which it ends. A trip belongs to the day in which it starts. With \`by\`, a leg and a trip belong to the text that holds at their end and start, and the rows of a day add up to it, each distance and time too. A page may have fewer rows than \`limit\`, or none. It is the last page only if it has no \`Link\`. ${COSTS_OF_ROWS}`,
  parameters: DAYS,
  success: 'The days of the range, or a page of them.',
  result: { rows: 'Day', example: [vanOnFriday] },
  headers: ['X-Records-Until', 'X-Time-Zone'],
  badRequests: [
    ...DATES.refusals,
    ...TIME_ZONE.refusals,
    ...RECORDS_LIMIT.refusals,
    ...CURSOR.refusals,
    ...BY.refusals,
    ...ATTRIBUTES.refusals,
    ...ONLY_IDS.refusals,
    repeatedParameter('tz'),
    rowsAboveMaximum(100_000),
    rangeAboveMaximum(31, 'date'),
    quotaExhausted([1071]),
  ],
  errors: { 404: 'ObjectNotFound' },
  isCharged: true,
  isPosition: true,
  openedBy: ['records'],
  isPublic: false,
  formats: TABLE_FORMATS,
  async prepare(call) {
    const { api, fleet, organization } = call
    const asked = DAYS.of(call)
    if ('status' in asked) return asked
    const entries = await entriesIfAsked(call, asked.attributes)
    if (entries !== null && 'status' in entries) return entries
    const by = textEntry(await fleet.attributes(), asked.by)
    if (by !== null && 'status' in by) return by
    const after = CURSORS.open(api.secret, [organization, asked], asked.cursor)
    if (after === undefined) return invalidCursor
    const all = await fleet.objects()
    const objects = selectIds(asked.ids, all)
    if ('status' in objects) return objects
    const remaining = objectsFrom(after, objects)
    const { skipsExhausted, limit, cursor } = asked
    const payment = { before: mustBeAbleToPay(organization, remaining), skipsExhausted }
    const selection = { asked, entries, by, all, objects: remaining, after, payment }
    const isWhole = limit === null && cursor === undefined
    return {
      due: skipsExhausted ? null : payment.before,
      shown: [],
      async answer(_states, charge) {
        // A level is read from its last change, so that its changes have to be derived.
        const derived = entries?.some(({ isLevel }) => isLevel) ? await untilDerived(call) : null
        if (derived !== null && 'status' in derived) return derived
        return (isWhole ? answerWhole : answerPage)(call, selection, charge)
      },
    }
  },
}

type Selection = AskedRows & Pick<DaysSelection, 'after'> & ShownDays & { asked: DaysQuery }

async function answerWhole(
  call: Call,
  { asked, entries, by, all, objects, payment }: Selection,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { api, organization } = call
  const until = await api.views.view(organization.id, (view) => committedAt(view, view.asOf))
  // The organization was deleted a moment ago.
  if (until === null) return objectNotFound
  const { timeZone } = asked
  const reading = { call, ...rangeOf(call, asked, all), attributes: entries, by, timeZone }
  const days = asked.dates.to - asked.dates.from + 1
  // An object has one row of a day at most, unless texts have rows. Computing the rows takes as long as the answer.
  const mayCountDays = by === null && days * objects.length <= maxRowsIn(call.format)
  const answered = await wholeAnswer(
    call,
    {
      objects: objects.map((id) => all.get(id)!),
      payment,
      withRows: (ids) => withDays(reading, ids),
      countRows: async (object, atMost) =>
        mayCountDays && days < atMost ? days : (await daysOfOne(reading, object)).length,
      body: (charged) => {
        const ids = charged.map(({ object }) => object.id)
        return wholeOrStreamed(
          rowsParts(daysOfAll(reading, ids), formOf(call, all, { entries, by })),
        )
      },
    },
    charge,
  )
  if ('status' in answered) return answered
  return { ...answered, recordsUntil: until, timeZone: asked.timeZone }
}

function answerPage(
  call: Call,
  selection: Selection,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const room = call.api.rowRoom.take(call.organization.id, selection.asked.limit ?? PAGE_ROWS)
  return answerInRoom(room, () => answerWithPage(call, selection, room, charge))
}

async function answerWithPage(
  call: Call,
  selection: Selection,
  room: TakenRoom,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { asked, entries, by, all, objects, after } = selection
  const read = (payable: readonly number[] | null) => {
    const part = {
      objects: payable ?? objects,
      after,
      limit: room.entries,
      attributes: entries,
      by,
    }
    return readPage(call, rangeOf(call, asked, all), part)
  }
  const charged = await chargePage(selection, room, read, charge)
  if ('status' in charged) return charged
  const { page, rows, withheld, disclosed } = charged
  return {
    body: await rowsBody(rows, formOf(call, all, selection)),
    next: page.next === null ? undefined : call.api.url + nextPage(call, asked, page.next),
    recordsUntil: page.until,
    timeZone: asked.timeZone,
    withheld,
    disclosed,
  }
}

function formOf({ format, organization }: Call, all: Roster, shown: ShownDays): RowForm<ObjectDay> {
  return rowForm(format, dayKind(all, organization.distanceUnit, shown))
}

type DaysOfPage = { rows: readonly ObjectDay[]; next: DayOffset | null; until: number }

/** Null: the organization was deleted a moment ago. */
function readPage(
  call: Call,
  range: DaysRange,
  part: Pick<DaysSelection, 'objects' | 'after' | 'limit' | 'attributes' | 'by'>,
): Promise<DaysOfPage | null> {
  return call.api.views.view(call.organization.id, async (view) => {
    const { days, next } = await readDays(view, { ...range, ...part })
    return { rows: days, next, until: await committedAt(view, view.asOf) }
  })
}

function rangeOf({ api, organization }: Call, asked: DaysQuery, all: Roster): DaysRange {
  return daysRange(organization, all, asked, api.clock.now())
}

function nextPage(call: Call, asked: DaysQuery, last: DayOffset): string {
  const cursor = CURSORS.seal(call.api.secret, [call.organization, asked], last)
  const limit = asked.limit ?? PAGE_ROWS
  return DAYS.link(`${PREFIX}/days`, { ...asked, limit, cursor })
}

/** The reads of a whole answer. */
type DaysReading = DaysRange &
  Pick<WholeDays, 'attributes' | 'by' | 'timeZone'> & { readonly call: Call }

/** Those of the objects that have a day: any stored position, hidden ones too. */
async function withDays(
  { call, from, until, keptFrom }: DaysReading,
  objects: readonly number[],
): Promise<number[]> {
  const wanted = objects
    .map((object) => ({ object, from: Math.max(from, keptFrom(object)), to: until - 1 }))
    .filter(({ from, to }) => from <= to)
  const found = await viewOf(call, (view) => view.newestIn(wanted))
  return found.map(({ object }) => object)
}

/** The days of an object, as of one moment. They are computed when it is the turn of the organization. */
function daysOfOne({ call, ...range }: DaysReading, object: number): Promise<readonly ObjectDay[]> {
  const { api, organization, request } = call
  const query = { ...range, object, now: api.clock.now() }
  return api.inReportTurn(
    organization.id,
    () => viewOf(call, (view) => api.daysOf(view, query)),
    clientGone(request.connection),
  )
}

/** The days of these objects, object by object. No view waits for the client. */
async function* daysOfAll(
  reading: DaysReading,
  objects: readonly number[],
): AsyncGenerator<readonly ObjectDay[]> {
  const { api, key } = reading.call
  for (const object of objects) {
    const days = await daysOfOne(reading, object)
    api.disclosures.rows(key, 'records', object, days.length)
    yield days
  }
}
