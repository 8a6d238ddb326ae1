import type { Random } from '../../../packages/server/testing/random.ts'
import { type FuzzOperation, type Parameter, PREFIX } from './description.ts'
import { nastyHeaders } from './nasty-headers.ts'
import { nastyValue, spoilt } from './nasty-values.ts'
import { FIRST_FIX, FIX_STEP_MS, type Tenant } from './tenants.ts'

/** A request in valid HTTP; its content may be invalid. */
export type FuzzRequest = {
  method: string
  target: string
  headers: [name: string, value: string][]
  body: string
}

const METHODS = ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'QUERY']
const ELSEWHERE = ['/', '/public', '/public/v1', '/public/v1/', '/public/v2/objects', '/metrics']
const STRANGE = [
  '//public/v1/objects',
  '/public/v1/objects/',
  '/public//v1/objects',
  '/favicon.ico',
]
const OPEN = ['/public/v1/ping', '/public/v1/ping?key=1', '/openapi.json', '/docs']

/** A request from the description, with parameters valid, broken, omitted, repeated or invented. */
export function fuzzRequest(
  operations: readonly FuzzOperation[],
  tenant: Tenant,
  foreignKey: string,
  random: Random,
): FuzzRequest {
  const operation = random.pick(operations)
  const keyed = keyHeaders(tenant, foreignKey, random)
  const headers: [string, string][] = [['Host', 'localhost'], ...keyed]
  if (random.chance(0.3)) headers.push(...nastyHeaders(random))
  const method = random.chance(0.9) ? 'GET' : random.chance(0.6) ? 'HEAD' : random.pick(METHODS)
  return { method, target: target(operation, tenant, random), headers, body: '' }
}

/** A request without a key. */
export function openRequest(random: Random): FuzzRequest {
  const target = random.pick(random.pick([ELSEWHERE, STRANGE, OPEN]))
  const headers: [string, string][] = [['Host', 'localhost']]
  if (random.chance(0.3)) headers.push(...nastyHeaders(random))
  return { method: random.chance(0.9) ? 'GET' : random.pick(METHODS), target, headers, body: '' }
}

const BROKEN: [name: string, value: string][] = [
  ['X Y', 'z'],
  ['', 'z'],
  ['X', 'a\0b'],
  ['X', 'a\rb'],
  ['Content-Length', '-1'],
  ['Transfer-Encoding ', 'chunked'],
]

/** A request after which no server may continue to read. */
export function brokenRequest(random: Random): FuzzRequest {
  const headers: [string, string][] = [['Host', 'localhost'], random.pick(BROKEN)]
  return { method: 'GET', target: `${PREFIX}/objects`, headers, body: '' }
}

/** Usually the tenant's own key, in either header; otherwise dead, spoilt, doubled, or none. */
function keyHeaders(
  { key, deadKeys }: Tenant,
  foreignKey: string,
  random: Random,
): [string, string][] {
  if (random.chance(0.5)) return [['x-api-key', key]]
  if (random.chance(0.8)) return [['Authorization', `${random.pick(['Bearer', 'bearer'])} ${key}`]]
  const wrong = random.pick([...deadKeys, ...nearKeys(key, random)])
  switch (random.whole(0, 5)) {
    case 0:
      return []
    case 1:
      return [
        ['x-api-key', key],
        ['Authorization', `Bearer ${random.pick([key, foreignKey])}`],
      ]
    case 2:
      return [
        ['X-API-KEY', key],
        ['x-api-key', random.pick([key, foreignKey, ''])],
      ]
    case 3:
      return [
        ['x-api-key', key],
        ['authorization', 'Basic dXNlcjpwYXNz'],
      ]
    case 4:
      return [['Authorization', `Bearer ${wrong}`]]
    default:
      return [['x-api-key', wrong]]
  }
}

function nearKeys(key: string, random: Random): string[] {
  const at = random.whole(0, key.length - 1)
  return [
    `${key.slice(0, at)}${key[at] === 'a' ? 'b' : 'a'}${key.slice(at + 1)}`,
    key.slice(0, at),
    `${key}${key}`,
    key.toUpperCase(),
    key.replace('live', 'feed'),
    `"${key}"`,
    '\u00e9'.repeat(at + 1),
    "' OR 1=1 --",
    'x'.repeat(4_000),
    '',
  ].filter((wrong) => wrong !== key)
}

function target({ path, parameters }: FuzzOperation, tenant: Tenant, random: Random): string {
  const inPath = parameters.find((each) => each.in === 'path')
  const filled = inPath === undefined ? path : path.replace('{id}', aValue(inPath, tenant, random))
  const pairs = parameters
    .filter((each) => each.in === 'query')
    .flatMap((each) => pairsOf(each, tenant, random))
  if (random.chance(0.08)) pairs.push(...invented(random))
  if (random.chance(0.1)) pairs.sort(() => random.next() - 0.5)
  const query = pairs.length === 0 && random.chance(0.95) ? '' : `?${pairs.join('&')}`
  return PREFIX + (random.chance(0.02) ? spoilt(filled, random) : filled) + query
}

function pairsOf(parameter: Parameter, tenant: Tenant, random: Random): string[] {
  const { name } = parameter
  if (parameter.required !== true && random.chance(0.6)) return []
  if (random.chance(0.03)) return []
  const pair = `${name}=${aValue(parameter, tenant, random)}`
  if (random.chance(0.02)) return [pair, `${name}=${aValue(parameter, tenant, random)}`]
  if (random.chance(0.02)) return [random.pick([name, `${name}=`, `${name}[]=1`, `=${name}`, pair])]
  if (random.chance(0.02)) return [pair.replace(name[0]!, `%${name.charCodeAt(0).toString(16)}`)]
  return [pair]
}

function invented(random: Random): string[] {
  const name = random.pick([
    'page',
    'fields',
    'sort',
    'api_key',
    'x',
    '__proto__',
    nastyValue(random),
  ])
  return Array.from({ length: random.pick([1, 1, 1, 1, 100]) }, () =>
    `${name}=${nastyValue(random)}`.slice(0, 40),
  )
}

/** The parameters are those of the contract; one that is missing in this list gets its example. */
function aValue({ name, example }: Parameter, tenant: Tenant, random: Random): string {
  if (random.chance(0.12)) return nastyValue(random)
  const sound = soundValue(name, example, tenant, random)
  return random.chance(0.06) ? spoilt(sound, random) : sound
}

function soundValue(name: string, example: unknown, tenant: Tenant, random: Random): string {
  switch (name) {
    case 'id':
    case 'object':
      return anId(tenant, random)
    case 'ids':
      if (random.chance(0.1)) return 'all'
      return ids(tenant, random)
    case 'from_time':
      return moment(random, -5, 30)
    case 'to_time':
      return moment(random, 0, 60)
    case 'time':
      return moment(random, -5, 60)
    case 'bbox':
      return random.pick(['-180,-90,180,90', '170,-20,-170,20', '28,40,30,42', '1,2,3'])
    case 'include':
      return random.pick(['quality', 'exact', 'exact,quality'])
    case 'step':
    case 'max_age':
      return `${random.pick([1, 60, 3_600, 86_400])}`
    case 'skip_exhausted':
      return random.pick(['true', 'false'])
    case 'tz':
      return random.pick(['UTC', 'Europe/Madrid', 'asia/kathmandu', 'Pacific/Apia'])
    case 'limit':
      return `${random.pick([1, 2, 7, 1000])}`
    default:
      return String(example ?? '1')
  }
}

function anId(tenant: Tenant, random: Random): string {
  const own = random.pick(tenant.objects).id
  if (random.chance(0.8)) return `${own}`
  return random.pick([`${own + random.whole(-20, 20)}`, `000${own}`, `${random.whole(0, 2 ** 40)}`])
}

function ids(tenant: Tenant, random: Random): string {
  const many = random.pick([1, 1, 2, 3, 5, 20, random.chance(0.1) ? random.whole(900, 1_100) : 4])
  const separator = random.pick([',', ',', '%2C', ',%20', '%20,+'])
  const start = random.whole(1, 1_000_000)
  return Array.from({ length: many }, (_, i) =>
    many > 20 ? `${start + i}` : anId(tenant, random),
  ).join(separator)
}

/** A moment near the fixes of the objects in one of the accepted forms, in minutes from the first fix. */
function moment(random: Random, low: number, high: number): string {
  const time = FIRST_FIX + random.whole(low, high) * FIX_STEP_MS
  const iso = new Date(time).toISOString()
  const [date, minute, second] = [iso.slice(0, 10), iso.slice(0, 16), iso.slice(0, 19)]
  const east = new Date(time + 3 * 3_600_000).toISOString().slice(0, 19)
  return random.pick([
    ...[iso, `${minute}Z`, `${second}Z`, second, `${second}.0001Z`, encodeURIComponent(iso)],
    ...[`${east}%2B03:00`, `${east}+0300`, `${east}%20${'03:00'}`, date],
  ])
}

export function bytesOf({ method, target, headers, body }: FuzzRequest): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}
