import { type FuzzOperation, PREFIX } from './description.ts'
import { decodePercent } from './percent.ts'
import type { FuzzRequest } from './requests.ts'
import {
  areFiltersWrong,
  areRowsWrong,
  isRepeated,
  isWrongSwitch,
  textOf,
} from './row-parameters.ts'
import { FIRST_FIX, FIX_STEP_MS, type Tenant, type TenantObject } from './tenants.ts'

/** The answers that the contract allows for a request. */
export type Expectation = {
  /** As in the description; also `documentation` or `none`. */
  operation: string
  /** Statuses, with codes for errors: `200`, `400 PUBLIC.400_001`. */
  outcomes: readonly string[]
  /** Whether it counts in the rate window, if there is one. */
  isCounted: boolean
  /** The content of a 200, in the terms of `contents.ts`. */
  contents?: string
  /** Whether the page is the last of the history. */
  isLastPage?: boolean
  /** Whether the server closes the connection after it. */
  isClosing: boolean
}

type Verdict = Pick<Expectation, 'outcomes' | 'contents' | 'isLastPage'>

const MALFORMED = '400 ERR999'
const NO_PATH = '404 ERR999'
const INVALID: Verdict = { outcomes: ['400 PUBLIC.400_001'] }
const NOT_FOUND: Verdict = { outcomes: ['404 PUBLIC.404_001'] }
const DOCUMENTATION = ['/docs', '/openapi.json']
const PLACES = ['listGeofences', 'listRoutes', 'listSites']
/** The operations whose answers have no entity tag. */
const FRESH = ['getKey', 'getUsage']
const RECORDS = ['listTrips', 'listStops', 'listVisits']
const POSITIONS = [
  'listPositions',
  'latestPositions',
  'positionsAt',
  'fleetPositions',
  ...RECORDS,
  'listDays',
  'listCoverage',
  'getAdherence',
]
const MAX_IDS = 1_000

/**
 * A second implementation of the contract, from the specification and its decisions, for a request of valid HTTP.
 * `after`: the time after which a page begins, for a cursor from the server.
 */
export function expectationOf(
  request: FuzzRequest,
  operations: readonly FuzzOperation[],
  tenant: Tenant,
  after?: number,
): Expectation {
  const { method, target } = request
  const [path, search] = splitOnce(target, '?')
  const isClosing = decodePercent(target) === undefined || request.body !== ''
  const uncounted = (operation: string, ...outcomes: string[]): Expectation => ({
    operation,
    outcomes,
    isCounted: false,
    isClosing,
  })
  const isReading = method === 'GET' || method === 'HEAD'
  if (DOCUMENTATION.includes(path)) {
    const answer = isAnyTag(request) ? '304' : '200'
    return uncounted('documentation', isReading ? answer : '405 ERR999')
  }
  const found = findOperation(path, operations)
  if (found === undefined) {
    return uncounted(
      'none',
      ...(decodePercent(path) === undefined ? [MALFORMED, NO_PATH] : [NO_PATH]),
    )
  }
  const { operation, id } = found
  if (!isReading) return uncounted(operation, '405 ERR999')
  if (operation === 'ping') return uncounted(operation, '200')
  if (!hasKey(request, tenant)) return uncounted(operation, '401 ERR999')
  const verdict = verdictOf(operation, id, parseQuery(search), request, tenant, after)
  return { operation, ...verdict, isCounted: true, isClosing }
}

function findOperation(
  path: string,
  operations: readonly FuzzOperation[],
): { operation: string; id: string } | undefined {
  if (!path.startsWith(`${PREFIX}/`)) return undefined
  const segments = path
    .slice(PREFIX.length + 1)
    .split('/')
    .map(decodePercent)
  if (segments.includes(undefined)) return undefined
  const isOfOne = segments[0] === 'objects' || segments[0] === 'routes'
  const hasId = isOfOne && segments.length > 1 && segments[1] !== ''
  const id = hasId ? segments[1]! : ''
  if (hasId) segments[1] = '{id}'
  if (segments.some((segment) => segment!.includes('/'))) return undefined
  const template = `/${segments.join('/')}`
  if (template === '/ping') return { operation: 'ping', id }
  const operation = operations.find((each) => each.path === template)?.id
  return operation === undefined ? undefined : { operation, id }
}

function hasKey({ headers }: FuzzRequest, { key }: Tenant): boolean {
  const valuesOf = (wanted: string) =>
    headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value.trim())
  const keys = valuesOf('x-api-key')
  const authorizations = valuesOf('authorization')
  const bearers = authorizations.filter((value) => /^bearer( |$)/i.test(value))
  if (bearers.length > 0 && authorizations.length > 1) return false
  const presented = [...keys, ...bearers.map((value) => value.slice('bearer'.length).trim())]
  return presented.length === 1 && presented[0] === key
}

function verdictOf(
  operation: string,
  id: string,
  query: Map<string, string[]>,
  request: FuzzRequest,
  tenant: Tenant,
  after: number | undefined,
): Verdict {
  const isPosition = POSITIONS.includes(operation)
  if (isPosition && !tenant.isActive) return { outcomes: ['403 SUBSCRIPTION.403_002'] }
  const format = query.get('format') ?? []
  if (format.length > 1) return INVALID
  if ((format[0] ?? '') !== '' && !formatsOf(operation).includes(format[0]!)) {
    return { outcomes: ['406 PUBLIC.406_001'] }
  }
  const verdict = ownVerdict(operation, id, query, tenant, after)
  if (verdict.outcomes[0] !== '200') return verdict
  if (isPosition && tenant.isLimited) return { ...verdict, outcomes: ['200', '400 PUBLIC.400_005'] }
  return !isPosition && !FRESH.includes(operation) && isAnyTag(request)
    ? { outcomes: ['304'] }
    : verdict
}

function formatsOf(operation: string): readonly string[] {
  if (['getObject', 'getAdherence', ...FRESH].includes(operation)) return ['json']
  if (['listObjects', 'listDays', 'listCoverage'].includes(operation))
    return ['json', 'ndjson', 'csv']
  const ofPositions = ['listPositions', 'latestPositions', 'positionsAt', 'fleetPositions']
  const isOfPositions = ofPositions.includes(operation)
  return ['json', 'ndjson', 'csv', 'geojson', ...(isOfPositions ? ['gpx', 'kml'] : [])]
}

/** Whether any existing resource matches. */
function isAnyTag({ headers }: FuzzRequest): boolean {
  return headers.some(([name, value]) => name === 'If-None-Match' && value.trim() === '*')
}

function ownVerdict(
  operation: string,
  id: string,
  query: Map<string, string[]>,
  tenant: Tenant,
  after: number | undefined,
): Verdict {
  switch (operation) {
    case 'getObject':
      return detail(id, tenant)
    case 'listPositions':
      return history(id, query, tenant, after)
    case 'latestPositions':
      return latest(query, tenant)
    case 'positionsAt':
      return positionsAt(query, tenant)
    case 'fleetPositions':
      return fleetPositions(query, tenant)
    case 'listObjects':
      if (FILTERS.some((name) => isRepeated(query, name))) return INVALID
      if (FILTERS.some((name) => textOf(query, name) !== '')) return { outcomes: ['200'] }
      return { outcomes: ['200'], contents: tenant.objects.map((each) => each.id).join() }
    case 'listTrips':
    case 'listStops':
    case 'listVisits':
      return records(operation, query, tenant)
    case 'listDays':
      return days(query, tenant)
    case 'listCoverage':
      return coverage(query, tenant)
    case 'getAdherence':
      return adherence(id, query, tenant)
    case 'getKey':
      return { outcomes: ['200'] }
    case 'getUsage':
      return usage(query, tenant)
    default:
      if (!PLACES.includes(operation)) throw new Error(`${operation} is not known here`)
      return { outcomes: ['200'], contents: tenant.places[placesPath(operation)]!.join() }
  }
}

function placesPath(operation: string): string {
  return operation.slice('list'.length).toLowerCase()
}

function detail(idText: string, tenant: Tenant): Verdict {
  if (!isDigits(idText)) return INVALID
  const object = objectOf(idText, tenant)
  return object === undefined ? NOT_FOUND : { outcomes: ['200'], contents: snapshot(object) }
}

const FILTERS = ['ident', 'vin', 'plate_number', 'q']
const SELECTING = ['bbox', 'max_age', 'skip_exhausted', 'include', 'include[]']

/** Contents are left open. `isOptional`: whether all objects are meant without `ids`. */
function selected(query: Map<string, string[]>, tenant: Tenant, isOptional: boolean): Verdict {
  const values = [query.get('ids'), query.get('ids[]')]
  const text = values.flatMap((list) => list ?? []).join(',')
  if (text === 'all' || (text === '' && isOptional)) return { outcomes: ['200'] }
  const ids = idsIn(values)
  if (!Array.isArray(ids)) return INVALID
  const isOwn = (id: bigint) => objectOf(String(id), tenant) !== undefined
  return ids.some(isOwn) ? { outcomes: ['200'] } : NOT_FOUND
}

function positionsAt(query: Map<string, string[]>, tenant: Tenant): Verdict {
  if (isRepeated(query, 'time') || momentOf(textOf(query, 'time'), 'first') === undefined) {
    return INVALID
  }
  if (isWrongSwitch(query, 'skip_exhausted') || areRowsWrong(new Map([...query, ['step', []]]))) {
    return INVALID
  }
  return selected(query, tenant, false)
}

/** Contents are left open. No cursor is known. */
function fleetPositions(query: Map<string, string[]>, tenant: Tenant): Verdict {
  const verdict = records('listTrips', query, tenant)
  if (verdict.outcomes[0] !== '200' && verdict !== NOT_FOUND) return verdict
  return areRowsWrong(query) ? INVALID : selected(query, tenant, false)
}

function latest(query: Map<string, string[]>, tenant: Tenant): Verdict {
  if (textOf(query, 'ids') === 'all' || SELECTING.some((name) => query.has(name))) {
    const isWrong = areFiltersWrong(query) || areRowsWrong(new Map([...query, ['step', []]]))
    return isWrong ? INVALID : selected(query, tenant, textOf(query, 'bbox') !== '')
  }
  const text = [...(query.get('ids') ?? []), ...(query.get('ids[]') ?? [])].join(',')
  if (text === '') return INVALID
  const items = text.split(',').map((item) => item.replace(/^ +| +$/g, ''))
  if (!items.every(isDigits)) return INVALID
  const distinct = new Set(items.map((item) => BigInt(item)))
  if (distinct.size > MAX_IDS) return INVALID
  const objects = [...distinct].flatMap((id) => objectOf(String(id), tenant) ?? [])
  if (objects.length === 0) return NOT_FOUND
  return { outcomes: ['200'], contents: objects.map(snapshot).join() }
}

const HISTORY_PARAMETERS = ['from_time', 'to_time', 'limit', 'cursor']
const MAX_STEPPED_ROWS = 10_000

function history(
  idText: string,
  query: Map<string, string[]>,
  tenant: Tenant,
  after: number | undefined,
): Verdict {
  if (!isDigits(idText)) return INVALID
  const isPresent = (name: string) => query.get(name)?.some((value) => value !== '') ?? false
  if (!isPresent('from_time')) return INVALID
  if (!isPresent('to_time')) return { outcomes: ['400 PUBLIC.400_002'] }
  if (HISTORY_PARAMETERS.some((name) => (query.get(name)?.length ?? 0) > 1)) return INVALID
  const from = momentOf(query.get('from_time')![0]!, 'first')
  const to = momentOf(query.get('to_time')![0]!, 'last')
  if (from === undefined || to === undefined || from > to) return INVALID
  const limit = query.get('limit')?.[0] || undefined
  if (limit !== undefined && !/^0*[1-9][0-9]*$/.test(limit)) return INVALID
  const hasStep = textOf(query, 'step') !== ''
  const isTooMuch = Number.isSafeInteger(Number(limit)) && Number(limit) > MAX_STEPPED_ROWS
  if (areRowsWrong(query) || (hasStep && isTooMuch)) return INVALID
  if (query.has('cursor') && after === undefined) return INVALID
  const object = objectOf(idText, tenant)
  if (object === undefined) return NOT_FOUND
  if (hasStep) return { outcomes: ['200'] }
  return page(object, Math.max(from, (after ?? from - 1) + 1), to, Number(limit ?? Infinity))
}

const MAX_DURATION_SECONDS = 10 * 365 * 86_400

/** Records are derived from the fixes in the background, so their contents are left open. No cursor is known. */
function records(operation: string, query: Map<string, string[]>, tenant: Tenant): Verdict {
  const isPresent = (name: string) => query.get(name)?.some((value) => value !== '') ?? false
  if (!isPresent('from_time')) return INVALID
  if (!isPresent('to_time')) return { outcomes: ['400 PUBLIC.400_002'] }
  const single = operation === 'listTrips' ? [] : ['min_duration']
  const isRepeated = (name: string) => (query.get(name)?.length ?? 0) > 1
  if ([...HISTORY_PARAMETERS, ...single].some(isRepeated)) return INVALID
  const from = momentOf(query.get('from_time')![0]!, 'first')
  const to = momentOf(query.get('to_time')![0]!, 'last')
  if (from === undefined || to === undefined || from > to) return INVALID
  const isOutside = (name: string, minimum: number, maximum: number) => {
    const text = query.get(name)?.[0] ?? ''
    return text !== '' && !(isDigits(text) && Number(text) >= minimum && Number(text) <= maximum)
  }
  if (isOutside('limit', 1, 10_000)) return INVALID
  if (single.some((name) => isOutside(name, 0, MAX_DURATION_SECONDS))) return INVALID
  const listed = (name: string) => idsIn([query.get(name), query.get(`${name}[]`)])
  const ids = listed('ids')
  const places = operation === 'listVisits' ? [listed('geofences'), listed('sites')] : []
  if ([ids, ...places].includes('invalid') || query.has('cursor')) return INVALID
  const isOwn = (id: bigint) => objectOf(String(id), tenant) !== undefined
  if (Array.isArray(ids) && !ids.some(isOwn)) return NOT_FOUND
  const [geofences, sites] = places
  const isKnown = (list: typeof geofences, own: readonly number[]) =>
    Array.isArray(list) && list.some((id) => own.some((each) => BigInt(each) === id))
  const isFiltered = Array.isArray(geofences) || Array.isArray(sites)
  const { places: existing } = tenant
  const isAny = isKnown(geofences, existing.geofences!) || isKnown(sites, existing.sites!)
  return isFiltered && !isAny ? NOT_FOUND : { outcomes: ['200'] }
}

const DAYS_PARAMETERS = ['from_date', 'to_date', 'tz', 'limit', 'cursor']

/** Contents are left open. No cursor is known. */
function days(query: Map<string, string[]>, tenant: Tenant): Verdict {
  const isPresent = (name: string) => query.get(name)?.some((value) => value !== '') ?? false
  if (!isPresent('from_date')) return INVALID
  if (!isPresent('to_date')) return { outcomes: ['400 PUBLIC.400_002'] }
  if (DAYS_PARAMETERS.some((name) => (query.get(name)?.length ?? 0) > 1)) return INVALID
  const [from, to] = ['from_date', 'to_date'].map((name) => {
    const text = query.get(name)![0]!
    return text.includes('T') ? undefined : momentOf(text, 'first')
  })
  if (from === undefined || to === undefined || from > to) return INVALID
  const zone = query.get('tz')?.[0] ?? ''
  if (zone !== '' && !isZone(zone)) return INVALID
  const limit = query.get('limit')?.[0] ?? ''
  const isCount = isDigits(limit) && Number(limit) >= 1 && Number(limit) <= 10_000
  if (limit !== '' && !isCount) return INVALID
  const ids = idsIn([query.get('ids'), query.get('ids[]')])
  if (ids === 'invalid' || query.has('cursor')) return INVALID
  const isOwn = (id: bigint) => objectOf(String(id), tenant) !== undefined
  return Array.isArray(ids) && !ids.some(isOwn) ? NOT_FOUND : { outcomes: ['200'] }
}

const MAX_COVERAGE_DAYS = 366

/** Contents are left open. */
function coverage(query: Map<string, string[]>, tenant: Tenant): Verdict {
  const dates = ['from_date', 'to_date'].map((name): [string, string[]] => [
    name,
    query.get(name) ?? [],
  ])
  const other = new Map([
    ...dates,
    ['ids', query.get('ids') ?? []],
    ['ids[]', query.get('ids[]') ?? []],
  ])
  const verdict = days(other as Map<string, string[]>, tenant)
  if (!['200', '404 PUBLIC.404_001'].includes(verdict.outcomes[0]!)) return verdict
  const [from, to] = dates.map(([, values]) => momentOf(values[0]!, 'first')!)
  return to! - from! >= MAX_COVERAGE_DAYS * 86_400_000 ? INVALID : verdict
}

/** Contents are left open. */
function usage(query: Map<string, string[]>, tenant: Tenant): Verdict {
  const ids = idsIn([query.get('ids'), query.get('ids[]')])
  if (ids === 'invalid') return INVALID
  const isOwn = (id: bigint) => objectOf(String(id), tenant) !== undefined
  return Array.isArray(ids) && !ids.some(isOwn) ? NOT_FOUND : { outcomes: ['200'] }
}

/** Contents are left open. */
function adherence(idText: string, query: Map<string, string[]>, tenant: Tenant): Verdict {
  if (!isDigits(idText)) return INVALID
  const isPresent = (name: string) => query.get(name)?.some((value) => value !== '') ?? false
  if (!isPresent('from_time')) return INVALID
  if (!isPresent('to_time')) return { outcomes: ['400 PUBLIC.400_002'] }
  const single = ['from_time', 'to_time', 'object']
  if (single.some((name) => (query.get(name)?.length ?? 0) > 1)) return INVALID
  const from = momentOf(query.get('from_time')![0]!, 'first')
  const to = momentOf(query.get('to_time')![0]!, 'last')
  if (from === undefined || to === undefined || from > to) return INVALID
  const object = query.get('object')?.[0] ?? ''
  if (!isDigits(object)) return INVALID
  const isOwn = tenant.places.routes!.some((id) => BigInt(id) === BigInt(idText))
  return isOwn && objectOf(object, tenant) !== undefined ? { outcomes: ['200'] } : NOT_FOUND
}

/** Whether ICU knows a name. It also knows offsets, which are no names. */
function isZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false
  try {
    return new Date().toLocaleString('en', { timeZone: name }) !== ''
  } catch {
    return false
  }
}

/** The distinct ids of a list. Undefined: none was given. */
function idsIn(values: (string[] | undefined)[]): bigint[] | 'invalid' | undefined {
  const text = values.flatMap((list) => list ?? []).join(',')
  if (text === '') return undefined
  const items = text.split(',').map((item) => item.replace(/^ +| +$/g, ''))
  if (!items.every(isDigits)) return 'invalid'
  const distinct = [...new Set(items.map((item) => BigInt(item)))]
  return distinct.length > MAX_IDS ? 'invalid' : distinct
}

/** The fixes from `from` to `to`, both inclusive, of those at equal steps. */
function page({ id, fixes }: TenantObject, from: number, to: number, limit: number): Verdict {
  const first = Math.max(0, Math.ceil((from - FIRST_FIX) / FIX_STEP_MS))
  const last = Math.min(fixes - 1, Math.floor((to - FIRST_FIX) / FIX_STEP_MS))
  const many = Math.max(0, last - first + 1)
  const shown = Math.min(many, limit)
  const contents = shown === 0 ? '' : `${shown} of ${id} from ${timeOf(first)}`
  return { outcomes: ['200'], contents, isLastPage: shown === many }
}

function snapshot({ id, fixes }: TenantObject): string {
  return `${id}@${fixes === 0 ? null : timeOf(fixes - 1)}`
}

function timeOf(fix: number): string {
  return new Date(FIRST_FIX + fix * FIX_STEP_MS).toISOString()
}

function objectOf(digits: string, { objects }: Tenant): TenantObject | undefined {
  const id = BigInt(digits)
  return objects.find((each) => BigInt(each.id) === id)
}

function isDigits(text: string): boolean {
  return /^[0-9]+$/.test(text)
}

/** The separators of a date and of a time: both are present (extended format), or neither (basic). */
const MOMENT =
  /^(\d{4})(-?)(\d\d)\2(\d\d)(?:T(\d\d)(?:(:?)(\d\d)(?:\6(\d\d)(?:[.,](\d+))?)?)?(?:Z|([+ -])(\d\d)(?::?(\d\d))?)?)?$/

/**
 * Milliseconds of a date, at this `side` of its day, or of a moment. A fraction finer than a millisecond counts
 * as half a millisecond, which compares equally with every fix.
 */
export function momentOf(text: string, side: 'first' | 'last'): number | undefined {
  const match = MOMENT.exec(text)
  if (match === null) return undefined
  const [, year, dash, month, day, hour, colon, minute = '00', second = '00'] = match
  const [fraction = '', sign, hours = '00', minutes = '00'] = match.slice(9)
  if (colon !== undefined && (dash === '-') !== (colon === ':')) return undefined
  const written = `${year}-${month}-${day}T${hour ?? '00'}:${minute}:${second}`
  const time = Date.parse(`${written}Z`)
  // The round trip detects the thirtieth of February and 24:00, which Date accepts.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 19) !== written) return undefined
  if (hour === undefined) return side === 'first' ? time : time + 86_400_000 - 1
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000)
  const finer = /[1-9]/.test(fraction.slice(3)) ? 0.5 : 0
  return time - offset + Number(fraction.slice(0, 3).padEnd(3, '0')) + finer
}

function parseQuery(search: string): Map<string, string[]> {
  const query = new Map<string, string[]>()
  for (const pair of search.split('&').filter((each) => each !== '')) {
    const [name, value] = splitOnce(pair, '=').map(
      (text) => decodePercent(text.replaceAll('+', ' ')) ?? text,
    ) as [string, string]
    query.set(name, [...(query.get(name) ?? []), value])
  }
  return query
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
