import type { OwnObject, Roster } from '../../cache/fleet-objects.ts'
import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { BoundingBox } from '../../domain/places/place.ts'
import type { Query } from '../exchange/request.ts'
import {
  type IdsParameter,
  idsRequired,
  invalidBox,
  invalidId,
  invalidIds,
  objectNotFound,
  objectRequired,
  type Refusal,
  tooManyIds,
} from '../refusal.ts'
import { type Asked, isRefusal, type Parameter, parameterSet, text, valueIn } from './parameter.ts'

/*
 * The objects and places that a request names: by filters, a box or ids.
 */

/** A selection of objects by their texts. Undefined: any. */
export const OBJECT_FILTER = parameterSet({
  ident: text('ObjectIdent', 'ident', 'Only the object with exactly this `ident`.'),
  vin: text('ObjectVin', 'vin', 'Only objects with exactly this `vin`.'),
  plateNumber: text(
    'ObjectPlate',
    'plate_number',
    'Only objects with exactly this `plate_number`.',
  ),
  /** A part of any of these or of the name. */
  text: text(
    'ObjectText',
    'q',
    'Only objects with this text in `name`, `ident`, `vin` or `plate_number`, in upper or lower case.',
  ),
})
export type ObjectFilter = Asked<typeof OBJECT_FILTER>

/** Whether an object passes a filter. */
export function objectMatcher({ ident, vin, plateNumber, text }: ObjectFilter) {
  const part = text?.toLowerCase()
  const contains = (value: string | null) => value?.toLowerCase().includes(part!)
  return (object: MonitoredObject): boolean =>
    (ident === undefined || object.ident === ident) &&
    (vin === undefined || object.vin === vin) &&
    (plateNumber === undefined || object.plateNumber === plateNumber) &&
    (part === undefined ||
      [object.name, object.ident, object.vin, object.plateNumber].some(contains))
}

const DEGREES = /^ *[+-]?(\d+(\.\d*)?|\.\d+) *$/

/** `bbox=west,south,east,north` in degrees. Null: not given. */
export const BOUNDING_BOX: Parameter<BoundingBox | null> = {
  described: {
    BoundingBox: {
      name: 'bbox',
      in: 'query',
      description:
        'Only objects whose last position is in this box, its edges included: `west,south,east,north` in degrees (WGS 84). If `west` is greater than `east`, the box crosses the antimeridian; 180 and -180 are one meridian.',
      style: 'form',
      explode: false,
      schema: { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4 },
    },
  },
  single: ['bbox'],
  read(query) {
    const text = valueIn(query, 'bbox')
    return text === undefined ? null : boxOf(text)
  },
  refusals: [invalidBox('1,2,3')],
}

function boxOf(text: string): BoundingBox | Refusal {
  const numbers = text.split(',').map((part) => (DEGREES.test(part) ? Number(part) : Number.NaN))
  const [west, south, east, north] = numbers as [number, number, number, number]
  const isSound =
    numbers.length === 4 &&
    Math.abs(west) <= 180 &&
    Math.abs(east) <= 180 &&
    south >= -90 &&
    south <= north &&
    north <= 90
  return isSound ? { west, south, east, north } : invalidBox(text)
}

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

const ONE = { type: 'integer', minimum: 0 }
const FORM = { style: 'form', explode: false }
const REFUSALS = [invalidIds('12abc'), tooManyIds(MAX_IDS)]

/** The ids of a list in the order asked. Undefined: not given. */
function askedIds(
  query: Query,
  name: IdsParameter = 'ids',
): readonly number[] | Refusal | undefined {
  const list = listIn(query, name)
  return list === '' ? undefined : readIds(list, name)
}

/** Only these ids, distinct and ascending, with foreign ones. Undefined: not given. */
function onlyIds(
  key: string,
  name: IdsParameter,
  description: string,
): Parameter<readonly number[] | undefined> {
  const schema = { type: 'array', items: ONE, maxItems: MAX_IDS }
  return {
    described: { [key]: { name, in: 'query', description, ...FORM, schema } },
    single: [],
    read(query) {
      const ids = askedIds(query, name)
      return ids === undefined || isRefusal(ids) ? ids : ids.toSorted((a, b) => a - b)
    },
    write: (ids) => (ids === undefined ? {} : { [name]: ids.join() }),
    refusals: name === 'ids' ? REFUSALS : [tooManyIds(MAX_IDS, name)],
  }
}

export const ONLY_IDS = onlyIds(
  'RecordsIds',
  'ids',
  'Only these objects, at most 1,000. Ids that your organization does not have are left out. Without it, all objects.',
)

/** The same in the order asked. */
export const ONLY_IDS_AS_ASKED: typeof ONLY_IDS = { ...ONLY_IDS, read: (query) => askedIds(query) }

export const CHANGES_IDS = onlyIds(
  'ChangesIds',
  'ids',
  'Only these objects, at most 1,000, and their positions and records. Ids that your organization does not have are left out. Places are not filtered by it.',
)

function placesOf(key: string, places: 'geofences' | 'sites') {
  return onlyIds(
    key,
    places,
    `Only visits to these ${places}, at most 1,000. Ids that your organization does not have are left out. With \`geofences\` or \`sites\`, the answer has no visits to other places.`,
  )
}

export const GEOFENCES = placesOf('Geofences', 'geofences')
export const SITES = placesOf('Sites', 'sites')

/** The ids asked for: `all`, or a list in the order asked, with foreign ones. */
type AskedIds = 'all' | readonly number[]

function selectedIds(
  key: string,
  required: boolean,
  absent: string,
  read: Parameter<AskedIds>['read'],
): Parameter<AskedIds> {
  return {
    described: {
      [key]: {
        name: 'ids',
        in: 'query',
        required,
        description:
          `Ids of objects, separated by commas, at most 1,000, or \`all\`. A repeated id counts once; ids that your organization does not have are left out of the answer. ${absent}`.trim(),
        ...FORM,
        schema: {
          type: 'array',
          items: { oneOf: [ONE, { type: 'string', enum: ['all'] }] },
          minItems: 1,
          maxItems: MAX_IDS,
        },
        ...(required && { example: [1071, 1072] }),
      },
    },
    single: [],
    read,
    write: (ids) => ({ ids: ids === 'all' ? ids : ids.join() }),
    refusals: [idsRequired, ...REFUSALS],
  }
}

function idsOrAll(query: Query): AskedIds | Refusal | undefined {
  return listIn(query, 'ids') === 'all' ? 'all' : askedIds(query)
}

/** With `bbox`, all objects if it is absent. */
export const LATEST_IDS = selectedIds(
  'LatestIds',
  false,
  'Without `ids`, `bbox` is required, and the server searches all objects.',
  (query) => idsOrAll(query) ?? (valueIn(query, 'bbox') === undefined ? idsRequired : 'all'),
)

export const IDS_AT = selectedIds('IdsAt', true, '', (query) => idsOrAll(query) ?? idsRequired)

/** The organization's objects among those asked for. A refusal if it has none of a list. */
export function selectObjects(asked: AskedIds, own: Roster): readonly OwnObject[] | Refusal {
  if (asked === 'all') return [...own.values()]
  const ids = ownIds(asked, own)
  return 'status' in ids ? ids : ids.map((id) => own.get(id)!)
}

const [ZERO, NINE] = [0x30, 0x39]

/**
 * Parses an object's id in a path or a list. Undefined if it is not digits. Leading zeros are ignored. A
 * number that is too large for an id becomes Infinity, which matches no object.
 */
export function parseObjectId(text: string): number | undefined {
  return readObjectId(text, 0, text.length)
}

/** The same for a part of a text: a list has up to 1,000 ids, and slicing each would take longest. */
function readObjectId(text: string, start: number, end: number): number | undefined {
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
