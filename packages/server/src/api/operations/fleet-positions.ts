import type { Roster } from '../../directory/fleet-object.ts'
import type { Organization } from '../../domain/organization.ts'
import { shownFrom } from '../../domain/time/retention.ts'
import { rowsOfRuns } from '../disclosed.ts'
import { before, latest } from '../documentation/examples.ts'
import { POSITION_FORMATS } from '../encode/formats/formats.ts'
import { positionForm } from '../encode/formats/position-forms.ts'
import { type ObjectRows, objectRowsBody } from '../encode/object-rows.ts'
import type { ChargeLater, Due } from '../limits.ts'
import { type Answer, type Call, type Operation, PREFIX } from '../operation.ts'
import { COLUMNS } from '../parameters/choices.ts'
import { FLEET_LIMIT, STEP } from '../parameters/numbers.ts'
import { IDS, ownIds } from '../parameters/object-ids.ts'
import { CURSOR, pageCursors } from '../parameters/page-cursor.ts'
import { type Asked, parameterSet } from '../parameters/parameter.ts'
import { TIME_RANGE } from '../parameters/time-range.ts'
import { mustBeAbleToPay } from '../positions/charge-objects.ts'
import { type RowPlace, type RowRun, type RowsPage, readRows } from '../positions/read-rows.ts'
import {
  invalidCursor,
  objectNotFound,
  quotaExhausted,
  type Refusal,
  rangeAboveMaximum,
  repeatedParameter,
} from '../refusal.ts'

const PARAMETERS = parameterSet(
  {
    ids: IDS,
    range: TIME_RANGE,
    stepMs: STEP,
    columns: COLUMNS,
    limit: FLEET_LIMIT,
    cursor: CURSOR,
  },
  ['range', 'ids', 'limit', 'cursor', 'stepMs', 'columns'],
)
type FleetPositionsQuery = Asked<typeof PARAMETERS>

const CURSORS = pageCursors<[Organization, FleetPositionsQuery], RowPlace>(
  ['index', 'time'],
  ([{ id }, { range, ids, stepMs }]) => `positions ${id} ${JSON.stringify([range, ids, stepMs])} `,
)

/**
 * `GET /positions`: the positions of several objects in a time range, by object as asked, then by time. Charges
 * 1 to each object of a page.
 */
export const fleetPositions: Operation = {
  id: 'fleetPositions',
  path: '/positions',
  tag: 'Positions',
  summary: 'List positions of several objects',
  description:
    'The recorded positions of up to 1,000 objects in a range of time, by object as asked, then by `time_device`, ascending. Follow `Link` for the rows that are left. Each page costs 1 of the daily quota of each object in it. Where an object asked for is exhausted, on the page or not, the page is refused and no object charged.',
  parameters: PARAMETERS,
  success: 'The positions of the range, or a page of them.',
  result: { rows: 'Position', example: [before, latest] },
  badRequests: [
    ...TIME_RANGE.refusals,
    ...IDS.refusals,
    ...FLEET_LIMIT.refusals,
    ...STEP.refusals,
    ...COLUMNS.refusals,
    ...CURSOR.refusals,
    repeatedParameter('limit'),
    rangeAboveMaximum(31),
    quotaExhausted([1071]),
  ],
  errors: { 404: 'ObjectNotFound' },
  isCharged: true,
  isPosition: true,
  openedBy: ['positions'],
  isPublic: false,
  formats: POSITION_FORMATS,
  async prepare(call) {
    const asked = PARAMETERS.of(call)
    if ('status' in asked) return asked
    const { organization } = call
    const after = CURSORS.open(call.api.secret, [organization, asked], asked.cursor)
    if (after === undefined) return invalidCursor
    const all = await call.fleet.objects()
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

function nextPage(call: Call, asked: FleetPositionsQuery, place: RowPlace): string {
  const cursor = CURSORS.seal(call.api.secret, [call.organization, asked], place)
  return PARAMETERS.link(`${PREFIX}/positions`, { ...asked, cursor })
}
