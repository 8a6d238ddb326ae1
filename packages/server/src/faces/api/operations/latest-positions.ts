import { ownBytes } from '../../../base/domain/common/packed-numbers.ts'
import type { DistanceUnit } from '../../../base/domain/organization.ts'
import type { AddressAt } from '../../../base/domain/position/object-state.ts'
import type { CachedObject, OwnObject, Roster } from '../../../data/cache/fleet-objects.ts'
import type { KeptBodies } from '../../../read/api.ts'
import type { Prepared } from '../../../read/call.ts'
import { latestBody, latestRow } from '../../../read/encode/object-rows.ts'
import type { Query } from '../../../read/exchange/request.ts'
import { type Format, POSITION_FORMATS, positionForm } from '../../../read/formats/formats.ts'
import { OWN_COLUMNS, type PositionForm } from '../../../read/formats/position-format.ts'
import { COLUMNS } from '../../../read/parameters/attribute-parameters.ts'
import { MAX_AGE } from '../../../read/parameters/number-parameters.ts'
import { BOUNDING_BOX, LATEST_IDS, readIds } from '../../../read/parameters/object-parameters.ts'
import { listIn } from '../../../read/parameters/parameter.ts'
import {
  idsRequired,
  objectNotFound,
  quotaExhausted,
  type Refusal,
  repeatedParameter,
} from '../../../read/refusal.ts'
import { LATEST, selectLatest } from '../../../read/rows/select-latest.ts'
import { latest, unseen } from '../../../read/schemas/examples.ts'
import type { Operation } from '../operation.ts'

const HEAD = Buffer.from('{"statusCode":200,"result":[')
const COMMA = 0x2c
const TAIL = Buffer.from(']}')

/** The last request for one organization's objects, and its answer. */
type Selection = {
  readonly text: string
  readonly objects: readonly OwnObject[]
  readonly ids: readonly number[]
  /** The cache key of its body. */
  shown: readonly CachedObject[]
}

/** The parameters of `selectLatest`. */
const SELECTING = [
  ...['bbox', 'max_age', 'skip_exhausted'],
  ...['include', 'include[]', 'attributes', 'attributes[]'],
]

type Bodies = KeptBodies['latest']

/** The last request for each organization: most clients ask the same again and again. */
const selections = new WeakMap<Roster, Selection>()

/** `GET /positions/latest`: the last position of each object asked for. Charges 1 to each found. */
export const latestPositions: Operation = {
  id: 'latestPositions',
  path: '/positions/latest',
  tag: 'Positions',
  summary: 'Get latest positions',
  description:
    'The latest position of each object that you ask for, in the order of your request, or by `id` with `ids=all`. `bbox` and `max_age` leave out objects whose latest position does not fit, and objects without a position. Otherwise an object that never had a position has null in the fields of the position. Ids that your organization does not have are left out. If it has none of them, the answer is 404. Costs 1 of the daily quota of each object in the answer. If an object that you ask for is exhausted, the API refuses the whole call and charges no object, even if that object is not in the answer. `skip_exhausted` leaves it out instead.',
  parameters: LATEST,
  success: 'One row for each object found.',
  result: { rows: 'LatestPosition', example: [latest, unseen] },
  badRequests: [
    ...LATEST_IDS.refusals,
    ...BOUNDING_BOX.refusals,
    ...MAX_AGE.refusals,
    ...COLUMNS.refusals,
    repeatedParameter('bbox'),
    quotaExhausted([1071, 1072]),
  ],
  errors: { 404: 'ObjectNotFound' },
  isCharged: true,
  isPosition: true,
  openedBy: ['positions'],
  isPublic: false,
  isContract: true,
  formats: POSITION_FORMATS,
  prepare(call) {
    const { api, fleet, format, organization, query } = call
    if (asksForMore(query) || !pointsIn(format).hasUnseen) return selectLatest(call)
    const bodies = api.bodies.latest
    const all = fleet.objects()
    const select = (objects: Roster): Prepared | Refusal => {
      const selection = selectionOf(bodies, objects, query)
      if ('status' in selection) return selection
      const { distanceUnit, language } = organization
      const body = (existing: CachedObject[]) => {
        const kept = format === 'json' ? keptBody(bodies, selection, existing) : undefined
        if (kept !== undefined) return { body: kept }
        const write = (addressAt?: AddressAt) => ({
          body:
            format === 'json'
              ? makeBody(bodies, selection, existing, distanceUnit, addressAt)
              : latestBody(existing, distanceUnit, { form: pointsIn(format), addressAt }),
        })
        const known = api.knownAddresses
        const areAllFound = format === 'json' && !existing.some(isToBeFound)
        return known === null || areAllFound ? write() : known(language).then(write)
      }
      return {
        due: { objects: selection.ids, isLimited: true },
        shown: selection.ids,
        answer(read) {
          const existing = fleet.states.join(selection.objects, read)
          return existing instanceof Promise ? existing.then(body) : body(existing)
        },
      }
    }
    return all instanceof Promise ? all.then(select) : select(all)
  },
}

function pointsIn(format: Format): PositionForm {
  return positionForm(format, 'points', OWN_COLUMNS)
}

/** Whether a request has more parameters than a list of ids. Most have only ids, and are answered from memory. */
function asksForMore(query: Query): boolean {
  return listIn(query, 'ids') === 'all' || SELECTING.some((name) => query.has(name))
}

function selectionOf(bodies: Bodies, all: Roster, query: Query): Selection | Refusal {
  const text = listIn(query, 'ids')
  if (!text) return idsRequired
  const last = selections.get(all)
  if (last?.text === text) return last
  const ids = readIds(text)
  if ('status' in ids) return ids
  const objects = ids.flatMap((id) => all.get(id) ?? [])
  if (objects.length === 0) return objectNotFound
  if (last !== undefined) bodies.delete(last.shown)
  const own = objects.map(({ object }) => object.id)
  const selection: Selection = { text, objects, ids: own, shown: [] }
  selections.set(all, selection)
  return selection
}

/** The last body, if none of the positions it shows has changed. */
function keptBody(
  bodies: Bodies,
  { shown }: Selection,
  existing: CachedObject[],
): Buffer | undefined {
  return shown.every((each, i) => each === existing[i]) ? bodies.get(shown) : undefined
}

function makeBody(
  bodies: Bodies,
  selection: Selection,
  existing: CachedObject[],
  unit: DistanceUnit,
  addressAt: AddressAt | undefined,
): Buffer {
  const body = listOf(existing.map((each) => keptRow(each, unit, addressAt)))
  bodies.delete(selection.shown)
  bodies.set(existing, body)
  selection.shown = existing
  return body
}

/** Whether an object's address must be found for a row that has not been written yet. */
function isToBeFound({ made, state: { lastFix } }: CachedObject): boolean {
  return made.latest === undefined && lastFix !== null && lastFix.address === null
}

function keptRow(existing: CachedObject, unit: DistanceUnit, addressAt?: AddressAt): Buffer {
  existing.made.latest ??= ownBytes(latestRow(existing, unit, { addressAt }))
  return existing.made.latest
}

/** Joined by hand: `Buffer.concat` would need each comma as a part. */
function listOf(rows: readonly Buffer[]): Buffer {
  let length = HEAD.length + Math.max(rows.length - 1, 0) + TAIL.length
  for (const row of rows) length += row.length
  const list = Buffer.allocUnsafeSlow(length)
  let at = HEAD.copy(list)
  for (const row of rows) {
    if (at > HEAD.length) list[at++] = COMMA
    list.set(row, at)
    at += row.length
  }
  TAIL.copy(list, at)
  return list
}
