import type { Roster } from '../../directory/fleet-object.ts'
import { shownFrom } from '../../domain/time/retention.ts'
import { formatInstant } from '../../domain/time/time.ts'
import { rowsOfRuns } from '../disclosed.ts'
import { POSITION_FORMATS } from '../encode/formats/formats.ts'
import { positionForm } from '../encode/formats/position-forms.ts'
import { type ObjectRows, objectRowsBody } from '../encode/object-rows.ts'
import type { ChargeLater, Due } from '../limits.ts'
import { type Answer, type Call, type Operation, PREFIX } from '../operation.ts'
import { includeParameter } from '../parameters/columns.ts'
import {
  type FleetPositionsQuery,
  readFleetPositionsQuery,
} from '../parameters/fleet-positions-query.ts'
import { ownIds } from '../parameters/object-ids.ts'
import { openPageCursor, sealPageCursor } from '../parameters/page-cursor.ts'
import { stepParameter } from '../parameters/step.ts'
import { mustBeAbleToPay } from '../positions/charge-objects.ts'
import { type RowPlace, type RowRun, type RowsPage, readRows } from '../positions/read-rows.ts'
import { invalidCursor, objectNotFound, type Refusal } from '../refusal.ts'

/**
 * `GET /positions`: the positions of several objects in a time range, by object as asked, then by time. Charges
 * 1 to each object of a page.
 */
export const fleetPositions: Operation = {
  id: 'fleetPositions',
  isPosition: true,
  openedBy: ['positions'],
  isPublic: false,
  formats: POSITION_FORMATS,
  async prepare(call) {
    const { api, fleet } = call
    const asked = readFleetPositionsQuery(call.query, api.historyLimits)
    if ('status' in asked) return asked
    const after = openCursor(call, asked)
    if (after === undefined) return invalidCursor
    const all = await fleet.objects()
    const own = ownIds(asked.ids, all)
    if ('status' in own) return own
    // Objects before the cursor have no more rows to show.
    const ahead = ownIds(asked.ids.slice(after?.index ?? 0), all)
    const due = mustBeAbleToPay(call.organization, 'status' in ahead ? [] : ahead)
    return {
      due,
      shown: [],
      answer: (_states, charge) => answer(call, asked, { all, after, due }, charge),
    }
  },
}

type Selection = { all: Roster; after: RowPlace | null; due: Due | null }

async function answer(
  call: Call,
  asked: FleetPositionsQuery,
  selection: Selection,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { api, format, organization } = call
  const page = await readPage(call, asked, selection)
  // The organization was deleted a moment ago.
  if (page === null) return objectNotFound
  const objects = [...new Set(page.runs.map(({ object }) => object))]
  const refused = await charge({ ...selection.due, objects, isLimited: true })
  if (refused !== undefined) return refused.refusal
  const form = positionForm(format, 'tracks', asked.columns)
  const context = { organization, knownAddresses: api.knownAddresses, form }
  const { next } = page
  return {
    body: await objectRowsBody(await groupsOf(call, page.runs, selection.all), context),
    next: next === null ? undefined : api.url + nextPage(call, asked, next),
    disclosed: rowsOfRuns(page.runs),
  }
}

function readPage(
  { api, organization }: Call,
  { ids, range, stepMs, limit }: FleetPositionsQuery,
  { all, after }: Selection,
): Promise<RowsPage | null> {
  const objects = ids.map((id) => (all.has(id) ? id : null))
  // Hide all expired rows, purged already or not.
  const from = Math.max(range.from, shownFrom(organization, api.clock.now()))
  const shown = { from, to: range.to }
  return api.views.view(organization.id, (view) =>
    readRows(view, { objects, range: shown, stepMs, after, limit }),
  )
}

/** The runs of a page with their objects, one at a time. */
async function groupsOf(
  { fleet }: Call,
  runs: readonly RowRun[],
  all: Roster,
): Promise<AsyncGenerator<ObjectRows[]>> {
  const ids = [...new Set(runs.map(({ object }) => object))]
  const states = await fleet.withStates(ids.map((id) => all.get(id)!))
  const byId = new Map(states.map((each) => [each.object.id, each]))
  return (async function* () {
    for (const { object, records } of runs) yield [{ fleetObject: byId.get(object)!, records }]
  })()
}

/** Null without a cursor, undefined if it is not valid here. */
function openCursor(call: Call, asked: FleetPositionsQuery): RowPlace | null | undefined {
  if (asked.cursor === undefined) return null
  const opened = openPageCursor(call.api.secret, pagedText(call, asked), asked.cursor)
  if (opened === undefined) return undefined
  const [index, time] = opened as [number, number]
  return { index, time }
}

function pagedText({ organization }: Call, { range, ids, stepMs }: FleetPositionsQuery): string {
  return `positions ${organization.id} ${JSON.stringify([range, ids, stepMs])} `
}

function nextPage(call: Call, asked: FleetPositionsQuery, { index, time }: RowPlace): string {
  const { range, ids, limit, stepMs, columns } = asked
  const query = new URLSearchParams({
    ids: ids.join(),
    from_time: formatInstant(range.from),
    to_time: formatInstant(range.to),
    ...stepParameter(stepMs),
    ...includeParameter(columns),
    limit: String(limit),
    cursor: sealPageCursor(call.api.secret, pagedText(call, asked), [index, time]),
  })
  return `${PREFIX}/positions?${query}`
}
