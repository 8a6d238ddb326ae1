import { invalidId, objectRequired } from '../refusal.ts'
import { type Parameter, valueIn } from './parameter.ts'

const [ZERO, NINE] = [0x30, 0x39]

/**
 * Parses an object's id in a path or a list. Undefined if it is not digits. Leading zeros are ignored. A
 * number that is too large for an id becomes Infinity, which matches no object.
 */
export function parseObjectId(text: string): number | undefined {
  return readObjectId(text, 0, text.length)
}

/** Likewise for a part of a text: a list has up to 1,000 ids, and slicing each would take longest. */
export function readObjectId(text: string, start: number, end: number): number | undefined {
  if (start >= end) return undefined
  let id = 0
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at)
    if (digit < ZERO || digit > NINE) return undefined
    id = id * 10 + (digit - ZERO)
  }
  return id <= Number.MAX_SAFE_INTEGER ? id : Number.POSITIVE_INFINITY
}

function described(name: string, place: 'path' | 'query', of: string, example: number) {
  return {
    name,
    in: place,
    required: true,
    description: `Id of ${of} of your organization, in digits.`,
    schema: { type: 'integer', minimum: 0 },
    example,
  }
}

/** The path's `{id}`. */
function idInPath(key: string, of: string, example: number): Parameter<number> {
  return {
    described: { [key]: described('id', 'path', of, example) },
    single: [],
    refuse: (_query, { id }) => (parseObjectId(id) === undefined ? invalidId(id) : undefined),
    read: (_query, { id }) => parseObjectId(id)!,
    refusals: [invalidId('12abc')],
  }
}

export const OBJECT_ID = idInPath('ObjectId', 'an object', 1071)
export const ROUTE_ID = idInPath('RouteId', 'a route', 7)

export const ONE_OBJECT: Parameter<number> = {
  described: { OneObject: described('object', 'query', 'an object', 1071) },
  single: ['object'],
  read(query) {
    const text = valueIn(query, 'object')
    if (text === undefined) return objectRequired
    return parseObjectId(text) ?? invalidId(text, 'object')
  },
  refusals: [objectRequired, invalidId('12abc', 'object')],
}
