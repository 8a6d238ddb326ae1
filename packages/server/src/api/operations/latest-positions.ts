import type { FleetObject } from '../../catalogue/fleet.ts'
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
import { parseObjectId } from '../object-id.ts'
import type { Operation } from '../operation.ts'
import type { Query } from '../query.ts'

const MAX_IDS = 1_000
const HEAD = Buffer.from('{"statusCode":200,"result":[')
const COMMA = Buffer.from(',')
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
    const own = objects.map(({ id }) => id)
    return {
      due: { objects: own, isLimited: true },
      states: own,
      async answer(read) {
        const parts: Uint8Array[] = [HEAD]
        for (const fleetObject of await fleet.withStates(objects, read)) {
          if (parts.length > 1) parts.push(COMMA)
          parts.push(latestRow(fleetObject, organization.distanceUnit))
        }
        parts.push(TAIL)
        return { body: Buffer.concat(parts) }
      },
    }
  },
}

/** The distinct ids, in the order asked. */
function readIds(query: Query): number[] | Refusal {
  const values = query.get('ids')
  if (values === undefined) return idsRequired
  if (values.length > 1) return repeatedParameter('ids')
  if (values[0] === '') return idsRequired
  // By their digits, so that ids too large for a number are told apart as well.
  const ids = new Map<string, number>()
  for (const item of values[0]!.split(',')) {
    const digits = withoutSpacesAround(item)
    const id = parseObjectId(digits)
    if (id === undefined) return invalidIds(item)
    ids.set(digits.replace(/^0+(?=.)/, ''), id)
    if (ids.size > MAX_IDS) return tooManyIds(MAX_IDS)
  }
  return [...ids.values()]
}

/** By hand: a regular expression would begin anew at each of thousands of spaces. */
function withoutSpacesAround(item: string): string {
  let from = 0
  let to = item.length
  while (item[from] === ' ') from++
  while (to > from && item[to - 1] === ' ') to--
  return item.slice(from, to)
}

const rows = new WeakMap<FleetObject, Buffer>()

function latestRow(fleetObject: FleetObject, unit: DistanceUnit): Buffer {
  let row = rows.get(fleetObject)
  if (row === undefined) {
    const { lastFix, track } = fleetObject.state
    row =
      lastFix === null || track === null
        ? encodeUnseenRow(fleetObject, unit)
        : positionRowEncoder(fleetObject, unit)(packFix(lastFix, track), false)
    rows.set(fleetObject, row)
  }
  return row
}
