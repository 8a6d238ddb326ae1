import {
  type IdsParameter,
  invalidIds,
  objectNotFound,
  type Refusal,
  tooManyIds,
} from '../refusal.ts'
import type { Query } from '../request/query.ts'
import { readObjectId } from './object-id.ts'

/** The ids of one request. */
export const MAX_IDS = 1_000

/**
 * The list in `ids=1,2`, or in `ids=1&ids=2` and `ids[]=1&ids[]=2`, which generated clients send. Empty
 * if there is none. `name`: the parameter's name.
 */
export function listIn(query: Query, name: string): string {
  const lists = query.get(name)
  const bracketed = query.get(`${name}[]`)
  if (bracketed === undefined && lists?.length === 1) return lists[0]!
  return [...(lists ?? []), ...(bracketed ?? [])].join(',')
}

/** The distinct ids in the order asked, without those that are too large for an object. */
export function readIds(text: string, parameter: IdsParameter = 'ids'): number[] | Refusal {
  const ids = new Set<number>()
  /** Compare their digits, because as numbers they are all Infinity. */
  const tooLarge = new Set<string>()
  for (let start = 0; start <= text.length; ) {
    const comma = text.indexOf(',', start)
    const end = comma === -1 ? text.length : comma
    const [first, last] = trimmed(text, start, end)
    const id = readObjectId(text, first, last)
    if (id === undefined) return invalidIds(text.slice(start, end), parameter)
    if (id === Number.POSITIVE_INFINITY) {
      tooLarge.add(text.slice(first, last).replace(/^0+/, ''))
    } else {
      ids.add(id)
    }
    if (ids.size + tooLarge.size > MAX_IDS) return tooManyIds(MAX_IDS, parameter)
    start = end + 1
  }
  return [...ids]
}

/** Leaves out the ids that the organization does not have. */
export function ownIds(
  ids: readonly number[],
  own: { has(id: number): boolean },
): readonly number[] | Refusal {
  const found = ids.filter((id) => own.has(id))
  return found.length === 0 ? objectNotFound : found
}

const SPACE = 0x20

/** The bounds of a part of a text without the spaces around it. */
function trimmed(text: string, start: number, end: number): [number, number] {
  let [first, last] = [start, end]
  while (first < last && text.charCodeAt(first) === SPACE) first++
  while (last > first && text.charCodeAt(last - 1) === SPACE) last--
  return [first, last]
}
