import type { StandingObject } from '../../catalogue/fleet.ts'
import { packFix } from '../../domain/fix-record.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import {
  idsRequired,
  invalidIds,
  objectNotFound,
  type Refusal,
  repeatedParameter,
  tooManyIds,
} from '../../domain/refusal.ts'
import { encodeUnseenRow, positionRowEncoder } from '../encode/position-rows.ts'
import { readObjectId } from '../object-id.ts'
import type { Operation } from '../operation.ts'
import { ownBytes } from '../own-bytes.ts'
import type { Query } from '../query.ts'

const MAX_IDS = 1_000
const HEAD = Buffer.from('{"statusCode":200,"result":[')
const COMMA = 0x2c
const TAIL = Buffer.from(']}')

/** `GET /positions/latest`: the last position of each object asked for. Charges 1 to each found. */
export const latestPositions: Operation = {
  id: 'latestPositions',
  isPosition: true,
  isPublic: false,
  async prepare({ fleet, organization, query }) {
    const ids = readIds(query)
    if ('status' in ids) return ids
    const objects = await fleet.find(ids)
    if (objects.length === 0) return objectNotFound
    const own = objects.map(({ object }) => object.id)
    return {
      due: { objects: own, isLimited: true },
      states: own,
      async answer(read) {
        const unit = organization.distanceUnit
        const standing = await fleet.withStates(objects, read)
        return { body: listOf(standing.map((each) => keptRow(each, unit))) }
      },
    }
  },
}

/** The distinct ids, in the order asked, without those that are too large for any object. */
function readIds(query: Query): number[] | Refusal {
  const values = query.get('ids')
  if (values === undefined) return idsRequired
  if (values.length > 1) return repeatedParameter('ids')
  const text = values[0]!
  if (text === '') return idsRequired
  const ids = new Set<number>()
  /** By their digits, since no number tells them apart. */
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

/** Where a part of a text begins and ends without the spaces around it. */
function trimmed(text: string, start: number, end: number): [number, number] {
  let [first, last] = [start, end]
  while (first < last && text.charCodeAt(first) === SPACE) first++
  while (last > first && text.charCodeAt(last - 1) === SPACE) last--
  return [first, last]
}

function keptRow(standing: StandingObject, unit: DistanceUnit): Buffer {
  standing.made.latest ??= ownBytes(latestRow(standing, unit))
  return standing.made.latest
}

function latestRow(standing: StandingObject, unit: DistanceUnit): Buffer {
  const { lastFix, track } = standing.state
  return lastFix === null || track === null
    ? encodeUnseenRow(standing, unit)
    : positionRowEncoder(standing, unit)(packFix(lastFix, track), false)
}

/** By hand, since `Buffer.concat` would take each comma for a part. */
function listOf(rows: readonly Buffer[]): Buffer {
  let length = HEAD.length + Math.max(rows.length - 1, 0) + TAIL.length
  for (const row of rows) length += row.length
  const list = Buffer.allocUnsafe(length)
  let at = HEAD.copy(list)
  for (const row of rows) {
    if (at > HEAD.length) list[at++] = COMMA
    list.set(row, at)
    at += row.length
  }
  TAIL.copy(list, at)
  return list
}
