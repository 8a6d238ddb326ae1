import { type FuzzOperation, PREFIX } from './description.ts'
import { decodePercent } from './percent.ts'
import type { FuzzRequest } from './requests.ts'
import { isWrong, listOf, textOf, type Values } from './row-parameters.ts'
import { FIRST_FIX, FIX_STEP_MS, type Tenant, type TenantObject } from './tenants.ts'
import { idsIn, isDigits, momentOf } from './values.ts'

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
const PING = { id: 'ping', path: '/ping', parameters: [], isOfPositions: false, hasTag: false }

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
  if (!isReading) return uncounted(operation.id, '405 ERR999')
  if (operation === PING) return uncounted(operation.id, '200')
  if (!hasKey(request, tenant)) return uncounted(operation.id, '401 ERR999')
  const verdict = verdictOf(operation, id, parseQuery(search), request, tenant, after)
  return { operation: operation.id, ...verdict, isCounted: true, isClosing }
}

function findOperation(
  path: string,
  operations: readonly FuzzOperation[],
): { operation: FuzzOperation; id: string } | undefined {
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
  const operation = [PING, ...operations].find((each) => each.path === template)
  return operation && { operation, id }
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

/** The paths of the contract's operations, which ignore parameters that they do not know. */
const CONTRACT = [
  ...['/objects', '/objects/{id}', '/objects/{id}/positions', '/positions/latest'],
  ...['/geofences', '/routes', '/sites'],
]

function verdictOf(
  operation: FuzzOperation,
  id: string,
  query: Map<string, string[]>,
  request: FuzzRequest,
  tenant: Tenant,
  after: number | undefined,
): Verdict {
  const { isOfPositions, hasTag, parameters, path } = operation
  if (isOfPositions && !tenant.isActive) return { outcomes: ['403 SUBSCRIPTION.403_002'] }
  const isKnown = (name: string) =>
    name === 'format' || parameters.some((each) => each.in === 'query' && each.name === name)
  if (!CONTRACT.includes(path) && ![...query.keys()].every(isKnown)) return INVALID
  const format = query.get('format') ?? []
  if (format.length > 1) return INVALID
  const formats = parameters.find(({ name }) => name === 'format')?.schema.enum ?? ['json']
  if ((format[0] ?? '') !== '' && !formats.includes(format[0]!)) {
    return { outcomes: ['406 PUBLIC.406_001'] }
  }
  const verdict = ownVerdict(operation, id, query, tenant, after)
  if (verdict.outcomes[0] !== '200') return verdict
  if (isOfPositions && tenant.isLimited) {
    return { ...verdict, outcomes: ['200', '400 PUBLIC.400_005'] }
  }
  return hasTag && isAnyTag(request) ? { outcomes: ['304'] } : verdict
}

/** Whether any existing resource matches. */
function isAnyTag({ headers }: FuzzRequest): boolean {
  return headers.some(([name, value]) => name === 'If-None-Match' && value.trim() === '*')
}

const RANGES = [
  ['from_time', 'to_time'],
  ['from_date', 'to_date'],
] as const

/** Contents are left open where they are not known here. */
function ownVerdict(
  operation: FuzzOperation,
  idText: string,
  query: Map<string, string[]>,
  tenant: Tenant,
  after: number | undefined,
): Verdict {
  const { id, path, parameters } = operation
  if (path.includes('{id}') && !isDigits(idText)) return INVALID
  const takes = (name: string) => parameters.some((each) => each.name === name)
  const isPresent = (name: string) => query.get(name)?.some((value) => value !== '') ?? false
  const range = RANGES.find(([from]) => takes(from))
  if (range !== undefined) {
    if (!isPresent(range[0])) return INVALID
    if (!isPresent(range[1])) return { outcomes: ['400 PUBLIC.400_002'] }
  }
  if (parameters.some((each) => isWrong(each, query))) return INVALID
  if (range !== undefined && isRangeWrong(id, range, query)) return INVALID
  // A cursor of another list than the history is known to nobody here.
  if (takes('cursor') && query.has('cursor') && (id !== 'listPositions' || after === undefined)) {
    return INVALID
  }
  if (id === 'latestPositions' && listOf(query, 'ids') + textOf(query, 'bbox') === '') {
    return INVALID
  }
  if (id === 'listPositions' && isPageTooLong(query)) return INVALID
  if (!isFound(operation, idText, query, tenant)) return NOT_FOUND
  return { outcomes: ['200'], ...contentsOf(id, idText, query, tenant, after) }
}

const MAX_COVERAGE_DAYS = 366

function isRangeWrong(id: string, names: readonly [string, string], query: Values): boolean {
  const from = momentOf(textOf(query, names[0]), 'first')!
  const to = momentOf(textOf(query, names[1]), 'last')!
  return from > to || (id === 'listCoverage' && to - from >= MAX_COVERAGE_DAYS * 86_400_000)
}

const MAX_STEPPED_ROWS = 10_000

function isPageTooLong(query: Values): boolean {
  const limit = Number(textOf(query, 'limit'))
  return textOf(query, 'step') !== '' && Number.isSafeInteger(limit) && limit > MAX_STEPPED_ROWS
}

/** Whether the tenant has what a request names: one of each list, and one of both lists of places. */
function isFound(
  { path, parameters }: FuzzOperation,
  idText: string,
  query: Values,
  tenant: Tenant,
): boolean {
  const { geofences, routes, sites } = tenant.places
  const known = (name: string, own: readonly number[] | TenantObject[]) => {
    const takes = parameters.some((each) => each.name === name)
    const read = name === 'object' ? textOf : listOf
    const text = takes ? read(query, name) : ''
    if (text === '' || text === 'all') return undefined
    const ids = idsIn(text) as bigint[]
    return ids.some((id) =>
      own.some((each) => BigInt(typeof each === 'number' ? each : each.id) === id),
    )
  }
  const places = [known('geofences', geofences!), known('sites', sites!)]
  const isOnePlace = places.includes(true) || !places.includes(false)
  const inPath = path.startsWith('/objects/') ? tenant.objects.map((each) => each.id) : routes!
  return (
    isOnePlace &&
    (!path.includes('{id}') || inPath.some((id) => BigInt(id) === BigInt(idText))) &&
    ['ids', 'object'].every((name) => known(name, tenant.objects) !== false)
  )
}

/** Parameters with which the contents are not known here. */
const SELECTING = ['bbox', 'max_age', 'skip_exhausted', 'include', 'include[]']
const FILTERS = ['ident', 'vin', 'plate_number', 'q']

function contentsOf(
  id: string,
  idText: string,
  query: Values,
  tenant: Tenant,
  after: number | undefined,
): Pick<Verdict, 'contents' | 'isLastPage'> {
  switch (id) {
    case 'getObject':
      return { contents: snapshot(objectOf(idText, tenant)!) }
    case 'listPositions': {
      if (textOf(query, 'step') !== '') return {}
      const from = momentOf(textOf(query, 'from_time'), 'first')!
      const start = Math.max(from, (after ?? from - 1) + 1)
      const to = momentOf(textOf(query, 'to_time'), 'last')!
      const limit = Number(textOf(query, 'limit') || Infinity)
      return page(objectOf(idText, tenant)!, start, to, limit)
    }
    case 'latestPositions': {
      const text = listOf(query, 'ids')
      if (text === 'all' || SELECTING.some((name) => query.has(name))) return {}
      const objects = (idsIn(text) as bigint[]).flatMap((each) => objectOf(`${each}`, tenant) ?? [])
      return { contents: objects.map(snapshot).join() }
    }
    case 'listObjects':
      if (FILTERS.some((name) => textOf(query, name) !== '')) return {}
      return { contents: tenant.objects.map((each) => each.id).join() }
    default: {
      const places = tenant.places[id.slice('list'.length).toLowerCase()]
      return places === undefined ? {} : { contents: places.join() }
    }
  }
}

/** The fixes from `from` to `to`, both inclusive, of those at equal steps. */
function page({ id, fixes }: TenantObject, from: number, to: number, limit: number) {
  const first = Math.max(0, Math.ceil((from - FIRST_FIX) / FIX_STEP_MS))
  const last = Math.min(fixes - 1, Math.floor((to - FIRST_FIX) / FIX_STEP_MS))
  const many = Math.max(0, last - first + 1)
  const shown = Math.min(many, limit)
  const contents = shown === 0 ? '' : `${shown} of ${id} from ${timeOf(first)}`
  return { contents, isLastPage: shown === many }
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
