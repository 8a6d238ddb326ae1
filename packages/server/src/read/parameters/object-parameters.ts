import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import type { BoundingBox } from '../../base/domain/places/place.ts'
import type { OwnObject, Roster } from '../../data/cache/fleet-objects.ts'
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
  tooManyValues,
} from '../refusal.ts'
import {
  type Asked,
  isRefusal,
  listIn,
  type Parameter,
  parameterSet,
  text,
  valueIn,
} from './parameter.ts'

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
    const text = query.get('bbox')?.[0]
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

/** The distinct ids in the order asked, without those that are too large for an object. */
export function readIds(text: string, parameter: IdsParameter = 'ids'): number[] | Refusal {
  const ids = new Set<number>()
  let values = 0
  for (let start = 0; start <= text.length; ) {
    const comma = text.indexOf(',', start)
    const end = comma === -1 ? text.length : comma
    values += 1
    if (values > MAX_IDS) return tooManyValues(parameter, MAX_IDS)
    const [first, last] = trimmed(text, start, end)
    const id = readObjectId(text, first, last)
    if (id === undefined) return invalidIds(text.slice(start, end), parameter)
    if (id !== Number.POSITIVE_INFINITY) ids.add(id)
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

/** The ids asked for: `all`, or a list with foreign ones. */
type AskedIds = 'all' | readonly number[]

const ONE = { type: 'integer', minimum: 0 }
export const IDS = { type: 'array', items: ONE, minItems: 1, maxItems: MAX_IDS }
/** `all` is the only value of its list. */
export const IDS_OR_ALL = {
  ...IDS,
  items: { oneOf: [ONE, { type: 'string', enum: ['all'] }] },
  not: { contains: { const: 'all' }, minItems: 2 },
}

/** `more`: further fields of the description. */
function idsBy<Value>(
  key: string,
  description: string,
  read: Parameter<Value>['read'],
  more: object = {},
): Omit<Parameter<Value>, 'write'> {
  const form = { style: 'form', explode: false, schema: IDS_OR_ALL }
  return {
    described: { [key]: { name: 'ids', in: 'query', description, ...form, ...more } },
    single: [],
    read,
    refusals: [invalidIds('12abc'), tooManyValues('ids', MAX_IDS)],
  }
}

/** In the order asked. Undefined: not given. */
function askedIds(query: Query): AskedIds | Refusal | undefined {
  const list = listIn(query, 'ids')
  return list === undefined || list === 'all' ? list : readIds(list)
}

function ascending<Ids>(ids: Ids | AskedIds | Refusal): Ids | AskedIds | Refusal {
  return Array.isArray(ids) ? ids.toSorted((a, b) => a - b) : ids
}

const WITHOUT = 'or `all`, the default. Ids that your organization does not have are left out.'

/** Ascending. */
export const ONLY_IDS: Parameter<AskedIds> = {
  ...idsBy('RecordsIds', `Only these objects, at most 1,000, ${WITHOUT}`, (query) =>
    ascending(askedIds(query) ?? 'all'),
  ),
  write: (ids): { ids?: string } => (ids === 'all' ? {} : { ids: ids.join() }),
}

/** The same in the order asked. */
export const ONLY_IDS_AS_ASKED: typeof ONLY_IDS = {
  ...ONLY_IDS,
  read: (query) => askedIds(query) ?? 'all',
}

/** Ascending. Undefined: not given. */
export const CHANGES_IDS: Parameter<AskedIds | undefined> = idsBy(
  'ChangesIds',
  `Only these objects, at most 1,000, and their positions and records; ${WITHOUT} Places are not filtered by it.`,
  (query) => ascending(askedIds(query)),
)

/** Only these places, distinct and ascending, with foreign ones. Undefined: not given. */
function placesOf(
  key: string,
  name: 'geofences' | 'sites',
): Parameter<readonly number[] | undefined> {
  const description = `Only visits to these ${name}, at most 1,000. Ids that your organization does not have are left out. With \`geofences\` or \`sites\`, the answer has no visits to other places.`
  const form = { style: 'form', explode: false, schema: IDS }
  return {
    described: { [key]: { name, in: 'query', description, ...form } },
    single: [],
    read(query) {
      const list = listIn(query, name)
      if (list === undefined) return undefined
      const ids = readIds(list, name)
      return isRefusal(ids) ? ids : ids.sort((a, b) => a - b)
    },
    write: (ids) => (ids === undefined ? {} : { [name]: ids.join() }),
    refusals: [tooManyValues(name, MAX_IDS)],
  }
}

export const GEOFENCES = placesOf('Geofences', 'geofences')
export const SITES = placesOf('Sites', 'sites')

function selectedIds(
  key: string,
  absent: string,
  read: Parameter<AskedIds>['read'],
  more?: object,
): Parameter<AskedIds> {
  const description =
    `Ids of objects, separated by commas, at most 1,000, or \`all\`. A repeated id has one row and one charge; ids that your organization does not have are left out of the answer. ${absent}`.trim()
  const ids = idsBy(key, description, read, more)
  return {
    ...ids,
    write: (ids) => ({ ids: ids === 'all' ? ids : ids.join() }),
    refusals: [idsRequired, ...ids.refusals],
  }
}

/** With `bbox`, all objects if it is absent. */
export const LATEST_IDS = selectedIds(
  'LatestIds',
  'Without `ids`, `bbox` is required, and the server searches all objects.',
  (query) => askedIds(query) ?? (query.has('bbox') ? 'all' : idsRequired),
  { example: [1071, 1072] },
)

export const IDS_AT = selectedIds('IdsAt', '', (query) => askedIds(query) ?? idsRequired, {
  required: true,
  example: [1071, 1072],
})

/** The ids of the organization's objects among those asked for. A refusal if it has none of a list. */
export function selectIds(asked: AskedIds, own: ReadonlyMap<number, unknown>) {
  return asked === 'all' ? [...own.keys()] : ownIds(asked, own)
}

/** As `selectIds`, the objects. */
export function selectObjects(asked: AskedIds, own: Roster): readonly OwnObject[] | Refusal {
  const ids = selectIds(asked, own)
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
