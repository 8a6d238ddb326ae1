import type { OwnObject } from '../../directory/fleet-object.ts'
import { shownFrom } from '../../domain/time/retention.ts'
import { parseDate, parseInstant } from '../../domain/time/time.ts'
import type { TimeRange } from '../../domain/time/time-range.ts'
import type { ReaderView } from '../../store/change-log.ts'
import { POSITION_FORMATS } from '../encode/formats/formats.ts'
import type { Columns, PositionForm } from '../encode/formats/position-form.ts'
import { positionForm } from '../encode/formats/position-forms.ts'
import { type ObjectRows, objectRowsBody } from '../encode/object-rows.ts'
import type { ChargeLater, Due } from '../limits.ts'
import type { Answer, Call, Operation } from '../operation.ts'
import { readSwitch } from '../parameters/choices.ts'
import { readColumns } from '../parameters/columns.ts'
import { type AskedIds, readAskedIds, selectObjects } from '../parameters/selected-objects.ts'
import { chargeFound, type IsExhausted, mustBeAbleToPay } from '../positions/charge-objects.ts'
import { inGroups } from '../positions/in-groups.ts'
import { invalidTime, type Refusal, repeatedParameter, timeRequired } from '../refusal.ts'
import type { Query } from '../request/query.ts'

/**
 * `GET /positions/at`: the newest position of each object at or before a moment. Charges 1 to each object in
 * the answer.
 */
export const positionsAt: Operation = {
  id: 'positionsAt',
  isPosition: true,
  openedBy: ['positions'],
  isPublic: false,
  formats: POSITION_FORMATS,
  async prepare(call) {
    const asked = readAtQuery(call.query)
    if ('status' in asked) return asked
    const objects = selectObjects(asked.ids, await call.fleet.objects())
    if ('status' in objects) return objects
    const form = positionForm(call.format, 'points', asked.columns)
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

type AtQuery = { ids: AskedIds; time: number; skipsExhausted: boolean; columns: Columns }

/** Reads the parameters. An empty one counts as absent. */
function readAtQuery(query: Query): AtQuery | Refusal {
  for (const name of ['time', 'skip_exhausted']) {
    if ((query.get(name)?.length ?? 0) > 1) return repeatedParameter(name)
  }
  const text = query.get('time')?.[0] || undefined
  if (text === undefined) return timeRequired
  // A date means its first millisecond.
  const time = parseDate(text) ?? parseInstant(text)
  if (time === undefined) return invalidTime('time', text)
  const ids = readAskedIds(query)
  if (typeof ids === 'object' && 'status' in ids) return ids
  const skipsExhausted = readSwitch(query, 'skip_exhausted')
  if (typeof skipsExhausted === 'object') return skipsExhausted
  const columns = readColumns(query)
  if ('status' in columns) return columns
  return { ids, time: Math.floor(time), skipsExhausted, columns }
}

type Selection = { objects: readonly OwnObject[]; form: PositionForm; before: Due | null }

async function answer(
  call: Call,
  { time, skipsExhausted }: AtQuery,
  { objects, form, before }: Selection,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { api, organization } = call
  const find = (isExhausted: IsExhausted) =>
    form.hasUnseen ? objects : seenAt(call, objects, time, isExhausted)
  const charged = await chargeFound({ before, skipsExhausted }, find, charge)
  if ('status' in charged) return charged
  const { rows, withheld } = charged
  const context = { organization, knownAddresses: api.knownAddresses, form }
  return { body: await objectRowsBody(groupsAt(call, rows, time), context), withheld }
}

/** Hides all expired positions, purged already or not. */
function rangeTo({ api, organization }: Call, time: number): TimeRange {
  return { from: shownFrom(organization, api.clock.now()), to: time }
}

/** The objects that have a position at or before a moment and are not exhausted. */
async function seenAt(
  call: Call,
  objects: readonly OwnObject[],
  time: number,
  isExhausted: IsExhausted,
): Promise<OwnObject[]> {
  const seen = new Set<number>()
  const payable = objects.filter(({ object }) => !isExhausted(object.id))
  for (const group of inGroups(payable)) {
    const ids = group.map(({ object }) => object.id)
    const found = await call.api.views.view(call.organization.id, (view) =>
      view.newest(ids, rangeTo(call, time)),
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
): AsyncGenerator<ObjectRows[]> {
  const { api, fleet, organization } = call
  const range = rangeTo(call, time)
  for (const group of inGroups(objects)) {
    const ids = group.map(({ object }) => object.id)
    const found = await api.views.view(organization.id, (view) => newestIn(view, ids, range))
    const states = await fleet.withStates(group)
    yield states.map((fleetObject) => {
      return { fleetObject, records: found?.get(fleetObject.object.id) ?? 'absent' }
    })
  }
}

async function newestIn(
  view: ReaderView,
  objects: readonly number[],
  range: TimeRange,
): Promise<Map<number, Uint8Array>> {
  const names = await view.newest(objects, range)
  const records = await view.positions(names)
  return new Map(names.flatMap(({ object }, i) => (records[i] ? [[object, records[i]]] : [])))
}
