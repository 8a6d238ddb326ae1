import type { Roster } from '../../directory/fleet-object.ts'
import { localDays } from '../../domain/time/local-days.ts'
import { shownFrom } from '../../domain/time/retention.ts'
import { formatDate } from '../../domain/time/time.ts'
import { committedUntil } from '../../reports/committed-until.ts'
import type { ObjectDay } from '../../reports/days/object-day.ts'
import { type DayPlace, type DaysPage, readDays } from '../../reports/days/read-days.ts'
import type { TakenRoom } from '../changes/page-room.ts'
import { rowsByObject } from '../disclosed.ts'
import { dayRow } from '../encode/day-rows.ts'
import { TABLE_FORMATS } from '../encode/formats/formats.ts'
import { rowForm } from '../encode/formats/row-form.ts'
import { DAY_COLUMNS } from '../encode/row-kinds.ts'
import { rowsBody } from '../encode/rows-body.ts'
import type { ChargeLater, Due } from '../limits.ts'
import { type Answer, type Call, type Operation, PREFIX } from '../operation.ts'
import { type DaysQuery, readDaysQuery } from '../parameters/days-query.ts'
import { ownIds } from '../parameters/object-ids.ts'
import { openPageCursor, sealPageCursor } from '../parameters/page-cursor.ts'
import { mustBeAbleToPay, objectsFrom } from '../positions/charge-objects.ts'
import { invalidCursor, objectNotFound, type Refusal } from '../refusal.ts'
import { answerInRoom } from '../reply/answer-in-room.ts'

/** `GET /days`: totals of objects on local days. Charges 1 to each object of a page. */
export const listDays: Operation = {
  id: 'listDays',
  isPosition: true,
  openedBy: ['records'],
  isPublic: false,
  formats: TABLE_FORMATS,
  async prepare(call) {
    const { api, fleet, organization } = call
    const asked = readDaysQuery(call.query, organization.timeZone, api.historyLimits)
    if ('status' in asked) return asked
    const after = openCursor(call, asked)
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
  const row = (day: ObjectDay) => dayRow(day, all.get(day.object)!.object, distanceUnit)
  const form = rowForm(call.format, { columns: DAY_COLUMNS, row })
  return {
    body: await rowsBody(read.days, form),
    next: read.next === null ? undefined : api.url + nextPage(call, asked, read.next),
    recordsUntil: read.until,
    disclosed: rowsByObject(read.days.map(({ object }) => object)),
  }
}

function readPage(
  { api, organization }: Call,
  { from, to, timeZone }: DaysQuery,
  { objects, after, room }: Selection,
): Promise<Read | null> {
  const days = localDays(timeZone)
  // Hide all expired positions, purged already or not.
  const keptFrom = shownFrom(organization, api.clock.now())
  const startOf = (day: number) => days.startOf(Math.max(day, FIRST_DAY))
  const range = { from: Math.max(startOf(from), keptFrom), until: startOf(to + 1) }
  return api.views.view(organization.id, async (view) => ({
    ...(await readDays(view, { ...range, objects, days, keptFrom, after, limit: room.entries })),
    until: await committedUntil(view),
  }))
}

/** Null without a cursor, undefined if it is not valid here. */
function openCursor(call: Call, asked: DaysQuery): DayPlace | null | undefined {
  if (asked.cursor === undefined) return null
  const opened = openPageCursor(call.api.secret, pagedText(call, asked), asked.cursor)
  if (opened === undefined) return undefined
  const [object, day] = opened as [number, number]
  return { object, day }
}

function pagedText({ organization }: Call, { from, to, timeZone, ids }: DaysQuery): string {
  return `days ${organization.id} ${JSON.stringify([from, to, timeZone, ids])} `
}

function nextPage(call: Call, asked: DaysQuery, { object, day }: DayPlace): string {
  const { from, to, timeZone, ids, limit } = asked
  const query = new URLSearchParams({
    from_date: formatDate(from),
    to_date: formatDate(to),
    tz: timeZone,
    ...(ids && { ids: ids.join() }),
    limit: String(limit),
    cursor: sealPageCursor(call.api.secret, pagedText(call, asked), [object, day]),
  })
  return `${PREFIX}/days?${query}`
}
