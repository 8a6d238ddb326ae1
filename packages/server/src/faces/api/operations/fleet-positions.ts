import { type Organization, shownFromIn } from '../../../base/domain/organization.ts'
import { allRows } from '../../../base/domain/position/position-columns.ts'
import type { TimeRange } from '../../../base/domain/time/time.ts'
import type { FleetObject, OwnObject, Roster } from '../../../data/cache/fleet-objects.ts'
import { newestShown } from '../../../engine/store/change-log.ts'
import type { Answer, Call } from '../../../read/call.ts'
import { type ObjectRows, objectRowsBody } from '../../../read/encode/object-rows.ts'
import { withNames } from '../../../read/encode/row-attributes.ts'
import { POSITION_FORMATS, positionForm } from '../../../read/formats/formats.ts'
import type { PositionForm } from '../../../read/formats/position-format.ts'
import { boundTo, COLUMNS, chosenColumns } from '../../../read/parameters/attribute-parameters.ts'
import { SKIP_UNPAID } from '../../../read/parameters/choices.ts'
import { FLEET_LIMIT, PAGE_ROWS, STEP } from '../../../read/parameters/number-parameters.ts'
import { IDS_AT, selectObjects } from '../../../read/parameters/object-parameters.ts'
import { CURSOR, pageCursors } from '../../../read/parameters/page-cursor.ts'
import { type Asked, parameterSet } from '../../../read/parameters/parameter.ts'
import { TIME_RANGE } from '../../../read/parameters/time-range.ts'
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
  type AskedObjects,
  chargeFound,
  type IsExhausted,
  mustBeAbleToPay,
  rowsOfRuns,
} from '../../../read/rows/charge-objects.ts'
import { countRows, type HistorySelection, openHistory } from '../../../read/rows/object-history.ts'
import {
  type RowOffset,
  type RowRun,
  type RowsPage,
  readRows,
} from '../../../read/rows/read-rows.ts'
import { COSTS_OF_ROWS, viewOf, wholeAnswer } from '../../../read/rows/whole-answer.ts'
import { before, latest } from '../../../read/schemas/examples.ts'
import { type Operation, PREFIX } from '../operation.ts'

const PARAMETERS = parameterSet(
  {
    ids: IDS_AT,
    range: TIME_RANGE,
    stepMs: STEP,
    columns: COLUMNS,
    limit: FLEET_LIMIT,
    cursor: CURSOR,
    skipsExhausted: SKIP_UNPAID,
  },
  ['range', 'ids', 'limit', 'cursor', 'stepMs', 'columns', 'skipsExhausted'],
)
type FleetPositionsQuery = Asked<typeof PARAMETERS>

const CURSORS = pageCursors<[Organization, FleetPositionsQuery], RowOffset>(
  ['index', 'time'],
  ([{ id }, { range, ids, stepMs, columns }]) =>
    `positions ${id} ${JSON.stringify([range, ids, stepMs])}${boundTo(columns.attributes)} `,
)

/**
 * `GET /positions`: the positions of several objects in a time range, by object as asked, then by time. Charges
 * 1 to each object of an answer.
 */
export const fleetPositions: Operation = {
  id: 'fleetPositions',
  path: '/positions',
  tag: 'Positions',
  summary: 'List positions of several objects',
  description: `The recorded positions of up to 1,000 objects, or of all objects with \`ids=all\`, in a range of time. They come by object, in the order of your request or by \`id\`, then by \`time_device\`, ascending. ${COSTS_OF_ROWS}`,
  parameters: PARAMETERS,
  success: 'The positions of the range, or a page of them.',
  result: { rows: 'Position', example: [before, latest] },
  badRequests: [
    ...TIME_RANGE.refusals,
    ...IDS_AT.refusals,
    ...FLEET_LIMIT.refusals,
    ...STEP.refusals,
    ...COLUMNS.refusals,
    ...CURSOR.refusals,
    repeatedParameter('limit'),
    rowsAboveMaximum(100_000),
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
    const columns = await chosenColumns(call, asked.columns)
    if ('status' in columns) return columns
    const { organization } = call
    const sealed = CURSORS.open(call.api.secret, [organization, asked], asked.cursor)
    if (sealed === undefined) return invalidCursor
    const all = await call.fleet.objects()
    const own = selectObjects(asked.ids, all)
    if ('status' in own) return own
    const ids = asked.ids === 'all' ? [...all.keys()] : asked.ids
    const after = asked.ids === 'all' ? offsetIn(ids, sealed) : sealed
    // Objects before the cursor have no more rows to show.
    const remaining = ids.slice(after?.index ?? 0).filter((id) => all.has(id))
    const { skipsExhausted, limit, cursor } = asked
    const payment = { before: mustBeAbleToPay(organization, remaining), skipsExhausted }
    // Hide all expired rows, purged already or not.
    const from = shownFromIn(organization, all, call.api.clock.now())
    const rangeOf = (object: number) => ({
      from: Math.max(asked.range.from, from(object)),
      to: asked.range.to,
    })
    const form = positionForm(call.format, 'tracks', columns)
    const selection = { asked, form, ids, rangeOf, all, after, payment }
    const isWhole = limit === null && cursor === undefined
    return {
      due: skipsExhausted ? null : payment.before,
      shown: [],
      answer: (_states, charge) => (isWhole ? answerWhole : answerPage)(call, selection, charge),
    }
  },
}

type Selection = {
  asked: FleetPositionsQuery
  form: PositionForm
  /** In the order asked, with foreign ones. */
  ids: readonly number[]
  /** The kept part of the range. */
  rangeOf(object: number): TimeRange
  all: Roster
  after: RowOffset | null
  payment: AskedObjects
}

/** The cursors of all objects name the id of one, because its index may change between two pages. */
function offsetIn(ids: readonly number[], sealed: RowOffset | null): RowOffset | null {
  if (sealed === null) return null
  const index = ids.findIndex((id) => id >= sealed.index)
  if (index === -1) return { index: ids.length, time: -1 }
  return { index, time: ids[index] === sealed.index ? sealed.time : -1 }
}

function answerWhole(
  call: Call,
  { asked: { stepMs }, form, ids, rangeOf, all, payment }: Selection,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { api, organization } = call
  const context = { organization, knownAddresses: api.knownAddresses, form }
  const selectionOf = (object: number) => {
    return { object, range: rangeOf(object), stepMs, given: null }
  }
  return wholeAnswer(
    call,
    {
      objects: ids.flatMap((id) => all.get(id) ?? []),
      payment,
      async withRows(objects) {
        const wanted = objects.map((object) => ({ object, ...rangeOf(object) }))
        const found = await viewOf(call, (view) => newestShown(view, wanted))
        return found.map(({ object }) => object)
      },
      countRows: (object, atMost) => countRows(call, selectionOf(object), atMost),
      body: (objects) => objectRowsBody(historiesOf(call, form, objects, selectionOf), context),
    },
    charge,
  )
}

/** The histories of these objects, one after the other, each as of one moment. */
async function* historiesOf(
  call: Call,
  { attributes }: PositionForm,
  objects: readonly OwnObject[],
  selectionOf: (object: number) => HistorySelection,
): AsyncGenerator<ObjectRows[]> {
  const { api, fleet, key } = call
  for (const own of objects) {
    const { id } = own.object
    const [stated] = await fleet.withStates([own])
    let fleetObject: FleetObject = stated!
    const { blocks } = await openHistory(call, selectionOf(id), null)
    for await (const rows of blocks) {
      api.disclosures.rows(key, 'positions', id, rows.rows)
      if (attributes !== undefined) {
        fleetObject = await withNames(fleet, own, fleetObject, rows)
      }
      yield [{ fleetObject, rows: allRows(rows) }]
    }
  }
}

async function answerPage(
  call: Call,
  selection: Selection,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { api, organization } = call
  const { form, all, payment } = selection
  let page: RowsPage | null = null
  const find = async (isExhausted: IsExhausted) => {
    page = await readPage(call, selection, isExhausted)
    // The organization was deleted a moment ago.
    if (page === null) return objectNotFound
    const found = new Set(page.runs.map(({ object }) => object))
    return Array.from(found, (object) => all.get(object)!)
  }
  const charged = await chargeFound(payment, find, charge)
  if ('status' in charged) return charged
  const withheld = new Set(charged.withheld)
  const { next, runs: read } = page!
  const runs = read.filter(({ object }) => !withheld.has(object))
  const context = { organization, knownAddresses: api.knownAddresses, form }
  return {
    body: await objectRowsBody(await groupsOf(call, runs, all), context),
    next: next === null ? undefined : api.url + nextPage(call, selection, next),
    withheld: charged.withheld,
    disclosed: rowsOfRuns(runs),
  }
}

function readPage(
  { api, organization }: Call,
  { asked, ids, rangeOf, all, after }: Selection,
  isExhausted: IsExhausted,
): Promise<RowsPage | null> {
  const { stepMs } = asked
  const objects = ids.map((id) => (all.has(id) && !isExhausted(id) ? id : null))
  const { maxHistoryRows } = api.historyLimits
  const limit = asked.limit ?? Math.min(PAGE_ROWS, maxHistoryRows ?? PAGE_ROWS)
  return api.views.view(organization.id, (view) =>
    readRows(view, { objects, rangeOf, stepMs, after, limit }),
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
    for (const { object, columns } of runs) {
      yield [{ fleetObject: byId.get(object)!, rows: allRows(columns) }]
    }
  })()
}

function nextPage(call: Call, { asked, ids }: Selection, { index, time }: RowOffset): string {
  const offset = { index: asked.ids === 'all' ? ids[index]! : index, time }
  const cursor = CURSORS.seal(call.api.secret, [call.organization, asked], offset)
  return PARAMETERS.link(`${PREFIX}/positions`, { ...asked, cursor })
}
