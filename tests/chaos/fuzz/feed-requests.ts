import { gzipSync } from 'node:zlib'
import type { Random } from '../../../packages/server/testing/random.ts'

/** A sent position, which the history must show if it was acknowledged. */
export type SentPosition = { ident: string; time: number; latitude: number; longitude: number }

export type FeedRequest = {
  method: string
  path: string
  headers: [name: string, value: string][]
  body: Buffer
  /** For each row in order: the position if the row is valid, null if it is spoilt. */
  rows: (SentPosition | null)[]
  /** Undefined if the number of its rows is unknown. */
  kind: 'rows' | 'packet' | undefined
}

/** Makes positions with unique moments. */
export type Track = () => SentPosition

const MAX_ROWS = 20

export function feedRequest(
  token: string,
  track: Track,
  native: boolean,
  random: Random,
): FeedRequest {
  const request = native ? nativeBatch(track, random) : packet(track, random)
  const headers: [string, string][] = [['Host', 'localhost'], ...request.headers]
  const isInPath = !native && random.chance(0.5)
  if (!isInPath) headers.push(random.pick(tokenHeaders(token)))
  const path = isInPath ? `/feed/v1/${token}/${request.path}` : `/feed/v1/${request.path}`
  return random.chance(0.15)
    ? spoiltBody({ ...request, path, headers }, random)
    : coded({ ...request, path, headers }, random)
}

function tokenHeaders(token: string): [string, string][] {
  return [
    ['x-feed-token', token],
    ['Authorization', `Bearer ${token}`],
    ['Authorization', `Basic ${Buffer.from(`any:${token}`).toString('base64')}`],
  ]
}

function nativeBatch(track: Track, random: Random): FeedRequest {
  const many = random.whole(1, MAX_ROWS)
  const rows: (SentPosition | null)[] = []
  const texts = Array.from({ length: many }, () => {
    const position = track()
    const isSpoilt = random.chance(0.3)
    rows.push(isSpoilt ? null : position)
    const { ident, time, latitude, longitude } = position
    const row = { ident, time_device: new Date(time).toISOString(), latitude, longitude, speed: 40 }
    return JSON.stringify(isSpoilt ? spoiltFields(row, NATIVE_FIELDS, random) : row)
  })
  const text = random.chance(0.5) ? `[${texts.join()}]` : texts.join('\n')
  return {
    method: 'POST',
    path: 'positions',
    headers: [],
    body: Buffer.from(text),
    rows,
    kind: 'rows',
  }
}

function packet(track: Track, random: Random): FeedRequest {
  const position = track()
  const isSpoilt = random.chance(0.4)
  const made = random.pick([osmandQuery, osmandForm, osmandJson, traccar, owntracks, overland])
  const request = made(position, isSpoilt, random)
  return { headers: [], ...request, rows: [isSpoilt ? null : position], kind: 'packet' }
}

type Made = Pick<FeedRequest, 'method' | 'path' | 'body'>

function parametersOf({ ident, time, latitude, longitude }: SentPosition): Record<string, unknown> {
  return { id: ident, timestamp: time, lat: latitude, lon: longitude, speed: 20 }
}

function osmandText(position: SentPosition, isSpoilt: boolean, random: Random): string {
  const fields = parametersOf(position)
  const given = isSpoilt ? spoiltFields(fields, OSMAND_FIELDS, random) : fields
  return Object.entries(given)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value).replace(/\p{Cs}/gu, '?'))}`)
    .join('&')
    .slice(0, 8_000)
}

function osmandQuery(position: SentPosition, isSpoilt: boolean, random: Random): Made {
  const text = osmandText(position, isSpoilt, random)
  return { method: 'GET', path: `osmand?${text}`, body: Buffer.alloc(0) }
}

function osmandForm(position: SentPosition, isSpoilt: boolean, random: Random): Made {
  const body = Buffer.from(osmandText(position, isSpoilt, random))
  return { method: 'POST', path: 'osmand', body }
}

function osmandJson(position: SentPosition, isSpoilt: boolean, random: Random): Made {
  const { ident, time, latitude, longitude } = position
  const coords = { latitude, longitude, speed: 10 }
  const location = { timestamp: new Date(time).toISOString(), coords }
  const message = { device_id: ident, location }
  return posted('osmand', isSpoilt ? spoiltTree(message, random) : message)
}

function traccar(position: SentPosition, isSpoilt: boolean, random: Random): Made {
  const { ident, time, latitude, longitude } = position
  const attributes = { ignition: true, sat: 11, hdop: 0.9, fuel: 40.5, driver: 'Ana' }
  const fixTime = new Date(time).toISOString()
  const sent = { fixTime, valid: true, latitude, longitude, speed: 20, attributes }
  const message = { position: sent, device: { uniqueId: ident } }
  return posted('traccar', isSpoilt ? spoiltTree(message, random) : message)
}

function owntracks(position: SentPosition, isSpoilt: boolean, random: Random): Made {
  const { ident: topic, time, latitude: lat, longitude: lon } = position
  const message = { _type: 'location', topic, tst: time / 1000, lat, lon, vel: 30, batt: 80 }
  return posted('owntracks', isSpoilt ? spoiltTree(message, random) : message)
}

function overland(position: SentPosition, isSpoilt: boolean, random: Random): Made {
  const { ident: device_id, time, latitude, longitude } = position
  const timestamp = new Date(time).toISOString()
  const properties = { timestamp, device_id, speed: 10, motion: ['driving'], battery_level: 0.8 }
  const geometry = { type: 'Point', coordinates: [longitude, latitude] }
  const message = { locations: [{ type: 'Feature', geometry, properties }] }
  return posted('overland', isSpoilt ? spoiltTree(message, random) : message)
}

function posted(path: string, message: unknown): Made {
  return { method: 'POST', path, body: Buffer.from(JSON.stringify(message)) }
}

const NATIVE_FIELDS = [
  ...['altitude', 'angle', 'hdop', 'satellites', 'ignition', 'odometer', 'address'],
  'attributes',
]
const OSMAND_FIELDS = [
  'altitude',
  'bearing',
  'hdop',
  'sat',
  'ignition',
  'hours',
  'valid',
  'location',
]
const VALUES: unknown[] = [
  ...[null, '', ' ', 0, -0, -1, 0.1, 1e308, -1e308, 2 ** 53, 2 ** 63, 90.0000001, -180.5, 361],
  ...[
    true,
    false,
    'true',
    'NaN',
    '0x10',
    '1e5',
    '1,5',
    "' OR 1=1 --",
    '\0',
    '\ud800',
    '\u202e',
    '🚚',
  ],
  ...[
    '2024-02-30T00:00:00Z',
    '2024-05-06T24:00:00Z',
    '9999-12-31T23:59:59Z',
    '0000-01-01',
    -62135596800,
  ],
  ...[
    [],
    {},
    [[]],
    { a: 1 },
    ['x'],
    'x'.repeat(65),
    'y'.repeat(5_000),
    253402300800000,
    4102444800,
  ],
]

function spoiltFields<Row extends Record<string, unknown>>(
  row: Row,
  optional: readonly string[],
  random: Random,
): Record<string, unknown> {
  const name = random.pick([...Object.keys(row), ...optional, '__proto__', 'constructor'])
  const { [name]: _gone, ...others } = row
  return random.chance(0.15) ? others : { ...row, [name]: random.pick(VALUES) }
}

/** Replaces a value anywhere in it by another. */
function spoiltTree(tree: Record<string, unknown>, random: Random): unknown {
  const name = random.pick(Object.keys(tree))
  const value = tree[name]
  const isBranch = typeof value === 'object' && value !== null && random.chance(0.8)
  const inside = value as Record<string, unknown>
  return { ...tree, [name]: isBranch ? spoiltTree(inside, random) : random.pick(VALUES) }
}

/** The body unchanged, compressed, or in chunks. */
function coded(request: FeedRequest, random: Random): FeedRequest {
  if (request.body.length === 0 || random.chance(0.6)) return withLength(request)
  if (random.chance(0.5)) {
    const coding: [string, string] = ['Content-Encoding', random.pick(['gzip', 'x-gzip', 'GZIP'])]
    return withLength({
      ...request,
      body: gzipSync(request.body),
      headers: [...request.headers, coding],
    })
  }
  const size = random.whole(1, request.body.length)
  const chunks = [request.body.subarray(0, size), request.body.subarray(size)].filter(
    (chunk) => chunk.length > 0,
  )
  const framed = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ])
  return {
    ...request,
    body: Buffer.concat([...framed, Buffer.from('0\r\n\r\n')]),
    headers: [...request.headers, ['Transfer-Encoding', 'chunked']],
  }
}

function withLength(request: FeedRequest): FeedRequest {
  if (request.method === 'GET') return request
  return {
    ...request,
    headers: [...request.headers, ['Content-Length', `${request.body.length}`]],
  }
}

/** Unpacks to more than a body may have. */
const BOMB = gzipSync(Buffer.alloc(9 * 1024 * 1024, ' '))

/** A damaged body, whose rows cannot be counted. */
function spoiltBody(request: FeedRequest, random: Random): FeedRequest {
  const { body, headers } = request
  const whole = body.length === 0 ? Buffer.from('[]') : body
  const at = random.whole(0, whole.length - 1)
  const octet = Buffer.from([random.whole(0, 255)])
  const [spoilt, coding] = random.pick<[Buffer, string?]>([
    [whole.subarray(0, at)],
    [Buffer.concat([whole.subarray(0, at), octet, whole.subarray(at)])],
    [Buffer.concat([whole.subarray(0, at), octet, whole.subarray(at + 1)])],
    [Buffer.concat([whole, whole])],
    [Buffer.from(`\ufeff${whole}`)],
    [
      Buffer.from(
        random.pick(['', ' ', 'null', '0', '"x"', '{}', '[]', '[[]]', '[null,1,"x",[],{}]']),
      ),
    ],
    [Buffer.from('['.repeat(50_000))],
    [Buffer.from('{"a":'.repeat(20_000))],
    [Buffer.from(`[${'{},'.repeat(10_001)}{}]`)],
    [whole, 'gzip'],
    [gzipSync(whole).subarray(0, -5), 'gzip'],
    [BOMB, 'gzip'],
    [whole, random.pick(['br', 'deflate', 'gzip, gzip', 'identity', ''])],
  ])
  const method = random.chance(0.1) ? random.pick(['PUT', 'DELETE', 'PATCH']) : 'POST'
  const [path] = request.path.split('?')
  return withLength({
    method,
    path: random.chance(0.1) ? `${path}/%2e%2e/${random.whole(0, 9)}` : path!,
    headers: coding === undefined ? headers : [...headers, ['Content-Encoding', coding]],
    body: spoilt,
    rows: [],
    kind: undefined,
  })
}

export function feedBytes({ method, path, headers, body }: FeedRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), body])
}
