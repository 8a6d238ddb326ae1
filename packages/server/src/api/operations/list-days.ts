import type { Roster } from '../../directory/fleet-object.ts'
import type { Organization } from '../../domain/organization.ts'
import { localDays } from '../../domain/time/local-days.ts'
import { shownFrom } from '../../domain/time/retention.ts'
import type { ObjectDay } from '../../reports/days/object-day.ts'
import { type DayPlace, type DaysPage, readDays } from '../../reports/days/read-days.ts'
import { committedAt } from '../../store/committed-at.ts'
import type { TakenRoom } from '../changes/page-room.ts'
import { rowsByObject } from '../disclosed.ts'
import { vanOnFriday } from '../documentation/examples.ts'
import { TABLE_FORMATS } from '../encode/formats/formats.ts'
import { rowForm } from '../encode/formats/row-form.ts'
import { DAY_FIELDS } from '../encode/report-fields.ts'
import { rowOf } from '../encode/row-fields.ts'
import { rowsBody } from '../encode/rows-body.ts'
import type { ChargeLater, Due } from '../limits.ts'
import { type Answer, type Call, type Operation, PREFIX } from '../operation.ts'
import { DATES, DAYS, type DaysQuery, TIME_ZONE } from '../parameters/days-query.ts'
import { RECORDS_LIMIT } from '../parameters/numbers.ts'
import { ONLY_IDS, ownIds } from '../parameters/object-ids.ts'
import { CURSOR, pageCursors } from '../parameters/page-cursor.ts'
import { mustBeAbleToPay, objectsFrom } from '../positions/charge-objects.ts'
import {
  invalidCursor,
  objectNotFound,
  quotaExhausted,
  type Refusal,
  rangeAboveMaximum,
  repeatedParameter,
} from '../refusal.ts'
import { answerInRoom } from '../reply/answer-in-room.ts'

const CURSORS = pageCursors<[Organization, DaysQuery], DayPlace>(
  ['object', 'day'],
  ([{ id }, { dates, timeZone, ids }]) =>
    `days ${id} ${JSON.stringify([dates.from, dates.to, timeZone, ids])} `,
)

const dayRow = rowOf(DAY_FIELDS)

/** `GET /days`: totals of objects on local days. Charges 1 to each object of a page. */
export const listDays: Operation = {
  id: 'listDays',
  path: '/days',
  tag: 'Records',
  summary: 'List days',
  description:
    'Totals of your fleet for each object and local day with positions, by object id, then by date. They are computed from the positions when you ask. A leg, the way and time between two neighbouring positions, belongs to the day in which it ends, and a trip to the day in which it starts. A page may have fewer rows than `limit`, or none, and is the last one only if it has no `Link`. Each page costs 1 of the daily quota of each object in it. Where an object asked for is exhausted, on the page or not, the page is refused and no object charged.',
  parameters: DAYS,
  success: 'The days of the range, or a page of them.',
  result: { rows: 'Day', example: [vanOnFriday] },
  headers: ['X-Records-Until', 'X-Time-Zone'],
  badRequests: [
    ...DATES.refusals,
    ...TIME_ZONE.refusals,
    ...RECORDS_LIMIT.refusals,
    ...CURSOR.refusals,
    ...ONLY_IDS.refusals,
    repeatedParameter('tz'),
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
    const after = CURSORS.open(api.secret, [organization, asked], asked.cursor)
    if (after === undefined) return invalidCursor
    const all = await fleet.objects()
    const objects = asked.ids === undefined ? [...all.keys()] : ownIds(asked.ids, all)
    if ('status' in objects) return objects
    const due = mustBeAbleToPay(organization, objectsFrom(after, objects))
    return {
      due,
      shown: [],
      answer(_states, charge) {
        const room = api.rowRoom.take(organization.id, asked.limit)
        const selection = { all, objects, after, due, room }
        return answerInRoom(room, () => answer(call, asked, selection, charge))
      },
    }
  },
}

/** In zones west of UTC the first moment that a position can have belongs to this day. */
const FIRST_DAY = -1

type Selection = {
  all: Roster
  objects: readonly number[]
  after: DayPlace | null
  due: Due | null
  room: TakenRoom
}
type Read = DaysPage & { until: number }

async function answer(
  call: Call,
  asked: DaysQuery,
  selection: Selection,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { api, organization } = call
  const { all, due } = selection
  const read = await readPage(call, asked, selection)
  // The organization was deleted a moment ago.
  if (read === null) return objectNotFound
  selection.room.keep(read.days.length)
  const objects = [...new Set(read.days.map(({ object }) => object))]
  const refused = await charge({ ...due, objects, isLimited: true })
  if (refused !== undefined) return refused.refusal
  const { distanceUnit } = organization
  const row = (day: ObjectDay) => dayRow({ day, object: all.get(day.object)!.object }, distanceUnit)
  const form = rowForm(call.format, { columns: Object.keys(DAY_FIELDS), row })
  return {
    body: await rowsBody(read.days, form),
    next: read.next === null ? undefined : api.url + nextPage(call, asked, read.next),
    recordsUntil: read.until,
    timeZone: asked.timeZone,
    disclosed: rowsByObject(read.days.map(({ object }) => object)),
  }
}

function readPage(
  { api, organization }: Call,
  { dates: { from, to }, timeZone }: DaysQuery,
  { objects, after, room }: Selection,
): Promise<Read | null> {
  const days = localDays(timeZone)
  // Hide all expired positions, purged already or not.
  const keptFrom = shownFrom(organization, api.clock.now())
  const startOf = (day: number) => days.startOf(Math.max(day, FIRST_DAY))
  const range = { from: Math.max(startOf(from), keptFrom), until: startOf(to + 1) }
  return api.views.view(organization.id, async (view) => ({
    ...(await readDays(view, { ...range, objects, days, keptFrom, after, limit: room.entries })),
    until: await committedAt(view, view.asOf),
  }))
}

function nextPage(call: Call, asked: DaysQuery, place: DayPlace): string {
  const cursor = CURSORS.seal(call.api.secret, [call.organization, asked], place)
  return DAYS.link(`${PREFIX}/days`, { ...asked, cursor })
}
