import { shownFromIn } from '../../../base/domain/organization.ts'
import { NO_ATTRIBUTES } from '../../../base/domain/position/current-attributes.ts'
import type { AttributesAt } from '../../../base/domain/position/object-state.ts'
import type { TimeRange } from '../../../base/domain/time/time.ts'
import type { OwnObject } from '../../../data/cache/fleet-objects.ts'
import { newestShown, type ReaderView } from '../../../engine/store/change-log.ts'
import type { Answer, Call } from '../../../read/call.ts'
import {
  inGroups,
  type ObjectRows,
  objectRowsBody,
  rowsOfRecords,
} from '../../../read/encode/object-rows.ts'
import { POSITION_FORMATS, positionForm } from '../../../read/formats/formats.ts'
import type { PositionForm } from '../../../read/formats/position-format.ts'
import { COLUMNS, chosenColumns } from '../../../read/parameters/attribute-parameters.ts'
import { SKIP_UNPAID } from '../../../read/parameters/choices.ts'
import { IDS_AT, selectObjects } from '../../../read/parameters/object-parameters.ts'
import { type Asked, parameterSet } from '../../../read/parameters/parameter.ts'
import { MOMENT } from '../../../read/parameters/time-range.ts'
import { quotaExhausted, type Refusal, repeatedParameter } from '../../../read/refusal.ts'
import type { ChargeLater, Due } from '../../../read/request-limits.ts'
import { attributesAt } from '../../../read/rows/attributes-at.ts'
import {
  chargeFound,
  type IsExhausted,
  mustBeAbleToPay,
} from '../../../read/rows/charge-objects.ts'
import { fitting } from '../../../read/rows/sheet-rows.ts'
import { before, unseen } from '../../../read/schemas/examples.ts'
import type { Operation } from '../operation.ts'

const PARAMETERS = parameterSet({
  time: MOMENT,
  ids: IDS_AT,
  skipsExhausted: SKIP_UNPAID,
  columns: COLUMNS,
})

/**
 * `GET /positions/at`: the newest position of each object at or before a moment. Charges 1 to each object in
 * the answer.
 */
export const positionsAt: Operation = {
  id: 'positionsAt',
  path: '/positions/at',
  tag: 'Positions',
  summary: 'Get positions at a moment',
  description:
    'The newest position of each object at or before a moment, in the order of your request, or by `id` with `ids=all`. An object without one has null in all fields except `id`, `ident` and `name`. Ids that your organization does not have are left out. If it has none of them, the answer is 404. Costs 1 of the daily quota of each object in the answer. If an object that you ask for is exhausted, the API refuses the whole call and charges no object, even if that object is not in the answer. `skip_exhausted` leaves it out instead. Attributes are those that were current at the moment: the newest value of each, of the last 1,000 positions up to it, with its time.',
  parameters: PARAMETERS,
  success: 'One row for each object found.',
  result: { rows: 'LatestPosition', example: [before, unseen] },
  badRequests: [
    ...MOMENT.refusals,
    ...IDS_AT.refusals,
    ...COLUMNS.refusals,
    repeatedParameter('time'),
    quotaExhausted([1071, 1072]),
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
    const columns = await chosenColumns(call, asked.columns, true)
    if ('status' in columns) return columns
    const objects = selectObjects(asked.ids, await call.fleet.objects())
    if ('status' in objects) return objects
    const form = positionForm(call.format, 'points', columns)
    const ids = objects.map(({ object }) => object.id)
    // Other forms have a row of each object.
    const before = form.hasUnseen ? null : mustBeAbleToPay(call.organization, ids)
    return {
      due: asked.skipsExhausted ? null : before,
      shown: [],
      answer: (_states, charge) => answer(call, asked, { objects, form, before }, charge),
    }
  },
}

type Selection = { objects: readonly OwnObject[]; form: PositionForm; before: Due | null }

async function answer(
  call: Call,
  { time, skipsExhausted }: Asked<typeof PARAMETERS>,
  { objects, form, before }: Selection,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { api, organization } = call
  const find = (isExhausted: IsExhausted) =>
    form.hasUnseen ? fitting(call.format, objects) : seenAt(call, objects, time, isExhausted)
  const charged = await chargeFound({ before, skipsExhausted }, find, charge)
  if ('status' in charged) return charged
  const { rows, withheld } = charged
  const context = { organization, knownAddresses: api.knownAddresses, form }
  return { body: await objectRowsBody(groupsAt(call, rows, time, form), context), withheld }
}

type RangeOf = (object: number) => TimeRange

/** Hides all expired positions, purged already or not. */
async function rangesTo({ api, fleet, organization }: Call, time: number): Promise<RangeOf> {
  const from = shownFromIn(organization, await fleet.objects(), api.clock.now())
  return (object) => ({ from: from(object), to: time })
}

/** The objects that have a position at or before a moment and are not exhausted. */
async function seenAt(
  call: Call,
  objects: readonly OwnObject[],
  time: number,
  isExhausted: IsExhausted,
): Promise<OwnObject[]> {
  const seen = new Set<number>()
  const rangeOf = await rangesTo(call, time)
  const payable = objects.filter(({ object }) => !isExhausted(object.id))
  for (const group of inGroups(payable)) {
    const wanted = group.map(({ object: { id } }) => ({ object: id, ...rangeOf(id) }))
    const found = await call.api.views.view(call.organization.id, (view) =>
      newestShown(view, wanted),
    )
    for (const { object } of found ?? []) seen.add(object)
  }
  return payable.filter(({ object }) => seen.has(object.id))
}

/** Each group is read in a view of its own, which must not wait for the client. */
async function* groupsAt(
  call: Call,
  objects: readonly OwnObject[],
  time: number,
  form: PositionForm,
): AsyncGenerator<ObjectRows[]> {
  const { api, fleet, organization } = call
  const rangeOf = await rangesTo(call, time)
  const entries = form.attributes?.entries ?? null
  for (const group of inGroups(objects)) {
    const ids = group.map(({ object }) => object.id)
    const found = await api.views.view(organization.id, async (view) => ({
      records: await newestIn(view, ids, rangeOf),
      attributes: entries === null ? null : await attributesAt(view, ids, rangeOf, entries),
    }))
    const states = (await fleet.withStates(group)).map((each) =>
      entries === null
        ? each
        : { ...each, attributesAt: found?.attributes?.get(each.object.id) ?? NOTHING_SENT },
    )
    yield rowsOfRecords(states, ({ object }) => found?.records.get(object.id) ?? 'absent')
  }
}

const NOTHING_SENT: AttributesAt = { attributes: NO_ATTRIBUTES, newest: 0, offAt: null }

async function newestIn(
  view: ReaderView,
  objects: readonly number[],
  rangeOf: RangeOf,
): Promise<Map<number, Uint8Array>> {
  const wanted = objects.map((object) => ({ object, ...rangeOf(object) }))
  const names = await newestShown(view, wanted)
  const records = await view.positions(names)
  return new Map(names.flatMap(({ object }, i) => (records[i] ? [[object, records[i]]] : [])))
}
