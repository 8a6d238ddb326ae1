import { isInside } from '../../base/domain/places/place.ts'
import type { ObjectState } from '../../base/domain/position/object-state.ts'
import type { CachedObject, OwnObject, Roster } from '../../data/cache/fleet-objects.ts'
import type { LastPositionFilter } from '../../data/cache/last-positions.ts'
import type { Answer, Call, Prepared } from '../call.ts'
import { inGroups, latestGroups, objectRowsBody, stateGroups } from '../encode/object-rows.ts'
import { positionForm } from '../formats/formats.ts'
import type { PositionForm } from '../formats/position-format.ts'
import { COLUMNS, chosenColumns } from '../parameters/attribute-parameters.ts'
import { SKIP_UNPAID } from '../parameters/choices.ts'
import { MAX_AGE } from '../parameters/number-parameters.ts'
import { BOUNDING_BOX, LATEST_IDS, selectObjects } from '../parameters/object-parameters.ts'
import { type Asked, parameterSet } from '../parameters/parameter.ts'
import type { Refusal } from '../refusal.ts'
import type { ChargeLater, Due } from '../request-limits.ts'
import { type Charged, chargeFound, type IsExhausted, mustBeAbleToPay } from './charge-objects.ts'
import { fitting } from './sheet-rows.ts'

export const LATEST = parameterSet(
  {
    ids: LATEST_IDS,
    box: BOUNDING_BOX,
    maxAgeSeconds: MAX_AGE,
    skipsExhausted: SKIP_UNPAID,
    columns: COLUMNS,
  },
  ['box', 'ids', 'maxAgeSeconds', 'skipsExhausted', 'columns'],
)
type LatestQuery = Asked<typeof LATEST>

/**
 * `GET /positions/latest` with more than a list of ids, or in a format without rows of objects that were never seen: the
 * last positions of all objects, or of those that fit a filter. Charges 1 to each object in the answer.
 */
export async function selectLatest(call: Call): Promise<Prepared | Refusal> {
  const asked = LATEST.of(call)
  if ('status' in asked) return asked
  const columns = await chosenColumns(call, asked.columns, true)
  if ('status' in columns) return columns
  const all = await call.fleet.objects()
  const objects = selectObjects(asked.ids, all)
  if ('status' in objects) return objects
  const form = positionForm(call.format, 'points', columns)
  const filter = filterOf(asked, form, call.api.clock.now())
  const ids = objects.map(({ object }) => object.id)
  const before = filter && mustBeAbleToPay(call.organization, ids)
  return {
    due: asked.skipsExhausted ? null : before,
    shown: [],
    answer: (_states, charge) =>
      answer(call, asked, { all, objects, form, filter, before }, charge),
  }
}

type Selection = {
  all: Roster
  objects: readonly OwnObject[]
  form: PositionForm
  filter: LastPositionFilter | null
  before: Due | null
}

async function answer(
  call: Call,
  asked: LatestQuery,
  selection: Selection,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { fleet } = call
  const { objects, filter, before } = selection
  const asking = { before, skipsExhausted: asked.skipsExhausted }
  if (filter === null) {
    const charged = await chargeFound(asking, () => fitting(call.format, objects), charge)
    if ('status' in charged) return charged
    return answerOf(call, selection, charged, stateGroups(charged.rows, fleet.withStates))
  }
  const find = async (isExhausted: IsExhausted) =>
    fitting(call.format, await fittingObjects(call, asked, selection, filter, isExhausted))
  const charged = await chargeFound(asking, find, charge)
  if ('status' in charged) return charged
  return answerOf(call, selection, charged, inGroups(charged.rows))
}

async function answerOf(
  { api, organization }: Call,
  { form }: Selection,
  { withheld }: Pick<Charged<OwnObject>, 'withheld'>,
  groups: Parameters<typeof latestGroups>[0],
): Promise<Answer> {
  const context = { organization, knownAddresses: api.knownAddresses, form }
  return { body: await objectRowsBody(latestGroups(groups), context), withheld }
}

/** Null: all objects have a row. */
function filterOf(
  { box, maxAgeSeconds }: LatestQuery,
  { hasUnseen }: PositionForm,
  now: number,
): LastPositionFilter | null {
  if (box === null && maxAgeSeconds === null && hasUnseen) return null
  return { box, since: maxAgeSeconds === null ? null : now - maxAgeSeconds * 1_000 }
}

/** The objects of the selection that fit and are not exhausted, with the states that the answer shows. */
async function fittingObjects(
  { fleet }: Call,
  { ids }: LatestQuery,
  { all, objects }: Selection,
  filter: LastPositionFilter,
  isExhausted: IsExhausted,
): Promise<CachedObject[]> {
  // The table of last positions may be older than the states.
  const candidates =
    ids === 'all'
      ? (await fleet.lastPositions.find(filter)).flatMap((id) => all.get(id) ?? [])
      : objects
  const payable = candidates.filter(({ object }) => !isExhausted(object.id))
  const fitting: CachedObject[] = []
  for await (const group of stateGroups(payable, fleet.withStates)) {
    for (const each of group) if (fits(each.state, filter)) fitting.push(each)
  }
  return fitting
}

function fits({ lastFix }: ObjectState, { box, since }: LastPositionFilter): boolean {
  if (lastFix === null || (since !== null && lastFix.timeDevice < since)) return false
  return box === null || isInside(box, lastFix.latitude, lastFix.longitude)
}
