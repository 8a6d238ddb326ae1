import type { OwnObject, Roster, StandingObject } from '../../catalogue/fleet.ts'
import { packFix } from '../../domain/fix-record.ts'
import type { AddressAt } from '../../domain/known-addresses.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import {
  idsRequired,
  invalidIds,
  objectNotFound,
  type Refusal,
  tooManyIds,
} from '../../domain/refusal.ts'
import { encodeUnseenRow, positionRowEncoder } from '../encode/position-rows.ts'
import type { KeptBodies } from '../kept-bodies.ts'
import { readObjectId } from '../object-id.ts'
import type { Operation, Prepared } from '../operation.ts'
import { ownBytes } from '../own-bytes.ts'
import type { Query } from '../query.ts'

const MAX_IDS = 1_000
const HEAD = Buffer.from('{"statusCode":200,"result":[')
const COMMA = 0x2c
const TAIL = Buffer.from(']}')

/** The last request for one organization's objects, and its answer. */
type Selection = {
  readonly text: string
  readonly objects: readonly OwnObject[]
  readonly ids: readonly number[]
  /** The cache key of its body. */
  shown: readonly StandingObject[]
}

type Bodies = KeptBodies['latest']

/** The last request for each organization: most clients ask the same again and again. */
const selections = new WeakMap<Roster, Selection>()

/** `GET /positions/latest`: the last position of each object asked for. Charges 1 to each found. */
export const latestPositions: Operation = {
  id: 'latestPositions',
  isPosition: true,
  isPublic: false,
  prepare({ api, fleet, organization, query }) {
    const bodies = api.bodies.latest
    const all = fleet.objects()
    const select = (objects: Roster): Prepared | Refusal => {
      const selection = selectionOf(bodies, objects, query)
      if ('status' in selection) return selection
      const { distanceUnit, language } = organization
      const body = (standing: StandingObject[]) => {
        const kept = keptBody(bodies, selection, standing)
        if (kept !== undefined) return { body: kept }
        const write = (addressAt?: AddressAt) => ({
          body: makeBody(bodies, selection, standing, distanceUnit, addressAt),
        })
        const known = api.knownAddresses
        return known === null || !standing.some(isToBeFound) ? write() : known(language).then(write)
      }
      return {
        due: { objects: selection.ids, isLimited: true },
        states: selection.ids,
        answer(read) {
          const standing = fleet.withStates(selection.objects, read)
          return standing instanceof Promise ? standing.then(body) : body(standing)
        },
      }
    }
    return all instanceof Promise ? all.then(select) : select(all)
  },
}

function selectionOf(bodies: Bodies, all: Roster, query: Query): Selection | Refusal {
  const text = idsIn(query)
  if (text === '') return idsRequired
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

/**
 * The list in `ids=1,2`, or in `ids=1&ids=2` and `ids[]=1&ids[]=2`, which generated clients send. Empty
 * if there is none.
 */
function idsIn(query: Query): string {
  const lists = query.get('ids')
  const bracketed = query.get('ids[]')
  if (bracketed === undefined && lists?.length === 1) return lists[0]!
  return [...(lists ?? []), ...(bracketed ?? [])].join(',')
}

/** The last body, if none of the positions it shows has changed. */
function keptBody(
  bodies: Bodies,
  { shown }: Selection,
  standing: StandingObject[],
): Buffer | undefined {
  return shown.every((each, i) => each === standing[i]) ? bodies.get(shown) : undefined
}

function makeBody(
  bodies: Bodies,
  selection: Selection,
  standing: StandingObject[],
  unit: DistanceUnit,
  addressAt: AddressAt | undefined,
): Buffer {
  const body = listOf(standing.map((each) => keptRow(each, unit, addressAt)))
  bodies.delete(selection.shown)
  bodies.set(standing, body)
  selection.shown = standing
  return body
}

/** The distinct ids in the order asked, without those that are too large for an object. */
function readIds(text: string): number[] | Refusal {
  const ids = new Set<number>()
  /** Compare their digits, because as numbers they are all Infinity. */
  const tooLarge = new Set<string>()
  for (let start = 0; start <= text.length; ) {
    const comma = text.indexOf(',', start)
    const end = comma === -1 ? text.length : comma
    const [first, last] = trimmed(text, start, end)
    const id = readObjectId(text, first, last)
    if (id === undefined) return invalidIds(text.slice(start, end))
    if (id === Number.POSITIVE_INFINITY) {
      tooLarge.add(text.slice(first, last).replace(/^0+/, ''))
    } else {
      ids.add(id)
    }
    if (ids.size + tooLarge.size > MAX_IDS) return tooManyIds(MAX_IDS)
    start = end + 1
  }
  return [...ids]
}

const SPACE = 0x20

/** The bounds of a part of a text without the spaces around it. */
function trimmed(text: string, start: number, end: number): [number, number] {
  let [first, last] = [start, end]
  while (first < last && text.charCodeAt(first) === SPACE) first++
  while (last > first && text.charCodeAt(last - 1) === SPACE) last--
  return [first, last]
}

/** Whether an object's address must be found for a row that has not been written yet. */
function isToBeFound({ made, state: { lastFix } }: StandingObject): boolean {
  return made.latest === undefined && lastFix !== null && lastFix.address === null
}

function keptRow(standing: StandingObject, unit: DistanceUnit, addressAt?: AddressAt): Buffer {
  standing.made.latest ??= ownBytes(latestRow(standing, unit, addressAt))
  return standing.made.latest
}

function latestRow(standing: StandingObject, unit: DistanceUnit, addressAt?: AddressAt): Buffer {
  const { lastFix, track } = standing.state
  return lastFix === null || track === null
    ? encodeUnseenRow(standing, unit)
    : positionRowEncoder(standing, unit, addressAt)(packFix(lastFix, track), false)
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
