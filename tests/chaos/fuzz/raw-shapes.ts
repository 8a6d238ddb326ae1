import type { Random } from '../../../packages/server/testing/random.ts'

/** Bytes that get exactly one answer, after which the server closes the connection. */
export type RawShape = { name: string; bytes: string; statuses: readonly number[] }

const PING = '/public/v1/ping'
const LIST = '/public/v1/objects'
const HOST = 'Host: localhost\r\n'
const CLOSE = `${HOST}Connection: close\r\n`
const CHUNKED = 'Transfer-Encoding: chunked\r\n'

const get = (target: string, headers = CLOSE, version = 'HTTP/1.1') =>
  `GET ${target} ${version}\r\n${headers}\r\n`
const post = (headers: string, body: string) =>
  `POST ${LIST} HTTP/1.1\r\n${HOST}${headers}\r\n${body}`
const chunk = (data: string) => `${data.length.toString(16)}\r\n${data}\r\n`

/** Requests whose end two parsers might place differently. `hidden`: the second request. */
function smuggling(hidden: string): [name: string, bytes: string, ...statuses: number[]][] {
  const size = hidden.length
  return [
    ['CL.TE', post(`Content-Length: ${size + 5}\r\n${CHUNKED}`, `0\r\n\r\n${hidden}`), 400],
    ['TE.CL', post(`${CHUNKED}Content-Length: 4\r\n`, `${chunk(hidden)}0\r\n\r\n`), 400],
    [
      'GET, CL.TE',
      `GET ${PING} HTTP/1.1\r\n${HOST}Content-Length: ${size + 5}\r\n${CHUNKED}\r\n0\r\n\r\n${hidden}`,
      400,
    ],
    [
      'a hidden body of GET',
      `GET ${PING} HTTP/1.1\r\n${HOST}Content-Length: ${size}\r\n\r\n${hidden}`,
      200,
    ],
    [
      'a hidden chunk of GET',
      `GET ${PING} HTTP/1.1\r\n${HOST}${CHUNKED}\r\n${chunk(hidden)}0\r\n\r\n`,
      200,
    ],
    ['a hidden body of POST', post(`Content-Length: ${size}\r\n`, hidden), 405],
    ['two lengths', post(`Content-Length: 0\r\nContent-Length: ${size}\r\n`, hidden), 400],
    ['two equal lengths', post('Content-Length: 0\r\nContent-Length: 0\r\n', hidden), 400],
    ['a list of lengths', post(`Content-Length: 0, ${size}\r\n`, hidden), 400],
    ...[
      '+0',
      '-1',
      '0x0',
      '0 0',
      '1e0',
      '0;',
      '"0"',
      '99999999999999999999999',
      '\x0b0',
      '0\0',
    ].map((length): [string, string, number] => [
      `the length ${JSON.stringify(length)}`,
      post(`Content-Length: ${length}\r\n`, hidden),
      400,
    ]),
    ...[
      'xchunked',
      'identity',
      'chunked, identity',
      'gzip',
      'chunkedchunked',
      '"chunked"',
      'chunked;a=b',
      '\x0bchunked',
      'chunked\x0b',
      'chunked\0',
    ].map((coding): [string, string, ...number[]] => [
      `the coding ${JSON.stringify(coding)}`,
      post(`Transfer-Encoding: ${coding}\r\n`, `0\r\n\r\n${hidden}`),
      ...[400, 405],
    ]),
    ['two codings', post(`${CHUNKED}Transfer-Encoding: identity\r\n`, `0\r\n\r\n${hidden}`), 400],
    [
      'a space before the colon',
      post(`Transfer-Encoding : chunked\r\nContent-Length: 5\r\n`, `0\r\n\r\n${hidden}`),
      400,
    ],
    [
      'a header after LF',
      post(`X: y\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n`, `0\r\n\r\n${hidden}`),
      400,
    ],
    ['a header after CR', post(`X: y\rTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${hidden}`), 400],
    [
      'a folded coding',
      post(`Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n`, `0\r\n\r\n${hidden}`),
      400,
    ],
    [
      'a fold at the start',
      `GET ${PING} HTTP/1.1\r\n ${HOST}Connection: close\r\n\r\n${hidden}`,
      400,
    ],
    ['a chunk of no size', post(CHUNKED, `\r\n${hidden}`), 400, 405],
    ['a chunk of size 0x0', post(CHUNKED, `0x0\r\n\r\n${hidden}`), 400, 405],
    ['a chunk of negative size', post(CHUNKED, `-1\r\n\r\n${hidden}`), 400, 405],
    ['a chunk of all size', post(CHUNKED, `FFFFFFFFFFFFFFFFFF\r\n\r\n${hidden}`), 400, 405],
    ['a chunk that ends in LF', post(CHUNKED, `5\nhello\n0\n\n${hidden}`), 400, 405],
    ['a chunk longer than its size', post(CHUNKED, `3\r\nhello\r\n0\r\n\r\n${hidden}`), 400, 405],
    ['a chunk extension with LF', post(CHUNKED, `1;a\nb\r\nx\r\n0\r\n\r\n${hidden}`), 400, 405],
    ['a chunk extension with CR', post(CHUNKED, `1;a\rb\r\nx\r\n0\r\n\r\n${hidden}`), 400, 405],
    [
      'a chunk extension too long',
      post(CHUNKED, `1;${'a'.repeat(20_000)}\r\nx\r\n0\r\n\r\n${hidden}`),
      400,
      405,
      413,
    ],
    ['a chunk size with a space', post(CHUNKED, `1 \r\nx\r\n0\r\n\r\n${hidden}`), 400, 405],
    ['a broken trailer', post(CHUNKED, `0\r\nX Y: z\r\n\r\n${hidden}`), 400, 405],
    ['a request after Connection: close', get(PING) + hidden, 200],
    ['CONNECT', `CONNECT localhost:443 HTTP/1.1\r\n${HOST}\r\n${hidden}`, 400, 405],
    ['HTTP/0.9', `GET ${PING}\r\n\r\n${hidden}`, 400],
    ['lines that end in LF', `GET ${PING} HTTP/1.1\nHost: localhost\n\n${hidden}`, 400],
    ['a NUL before the head ends', `GET ${PING} HTTP/1.1\r\n${HOST}X: \0\r\n\r\n${hidden}`, 400],
  ]
}

/** Bytes that are not HTTP, or barely. */
const MALFORMED: [name: string, bytes: string, ...statuses: number[]][] = [
  ['headers too large', get(LIST, `${HOST}X: ${'x'.repeat(40_000)}\r\n`), 431],
  ['headers too many', get(LIST, HOST + 'X: y\r\n'.repeat(8_000)), 431],
  ['a target too long', get(`${LIST}?${'x'.repeat(40_000)}`), 431],
  ['a name too long', get(LIST, `${HOST}${'x'.repeat(40_000)}: y\r\n`), 431],
  ['no Host', get(LIST, ''), 400],
  ['two Hosts', get(LIST, `${HOST}Host: elsewhere\r\n`), 400],
  ['an invalid Host', get(LIST, 'Host: a b/c@d\r\n'), 400],
  ['a space before the colon', get(LIST, `${HOST}X-Api-Key : x\r\n`), 400],
  ['a header without a name', get(LIST, `${HOST}: x\r\n`), 400],
  ['a header without a colon', get(LIST, `${HOST}nonsense\r\n`), 400],
  ['a name that is no token', get(LIST, `${HOST}X(Y): z\r\n`), 400],
  ['a name in Latin-1', get(LIST, `${HOST}X\u00e9: z\r\n`), 400],
  ['a control character in a value', get(LIST, `${HOST}X: a\x01b\r\n`), 400],
  ['a folded header', get(LIST, `${CLOSE}X: a\r\n b\r\n`), 400, 401],
  ['HTTP/2.0', get(PING, CLOSE, 'HTTP/2.0'), 400, 505],
  ['HTTP/1.2', get(PING, CLOSE, 'HTTP/1.2'), 400, 505],
  ['HTTP/1.10', get(PING, CLOSE, 'HTTP/1.10'), 400],
  ['HTTP/01.1', get(PING, CLOSE, 'HTTP/01.1'), 400],
  ['http/1.1', get(PING, CLOSE, 'http/1.1'), 400],
  ['HTTP/1.1 and a space', get(PING, CLOSE, 'HTTP/1.1 '), 400],
  ['two spaces', `GET  ${PING} HTTP/1.1\r\n${CLOSE}\r\n`, 200, 400],
  ['a tab', `GET\t${PING}\tHTTP/1.1\r\n${CLOSE}\r\n`, 400],
  ['a space in the target', get(`${PING} x`), 400],
  ['control characters in the target', get(`${PING}\x01\x7f`), 400],
  ['Latin-1 in the target', get(`${PING}\u00e9`), 400, 404],
  ['a fragment', get(`${PING}#x`), 400, 404],
  ['no method', ` ${PING} HTTP/1.1\r\n${CLOSE}\r\n`, 400],
  ['a method in small letters', `get ${PING} HTTP/1.1\r\n${CLOSE}\r\n`, 400, 405],
  ['a method that nobody knows', `BREW ${PING} HTTP/1.1\r\n${CLOSE}\r\n`, 400, 405],
  ['a method without end', `${'G'.repeat(40_000)} ${PING} HTTP/1.1\r\n\r\n`, 400, 405, 431],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 and so on\r\n\r\n', 400],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 505],
  ['noise', `${'\xff\xfe\x00'.repeat(50)}\r\n\r\n`, 400],
  ['an answer', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 400],
]

/** Unusual but valid requests. */
const UNUSUAL: [name: string, bytes: string, ...statuses: number[]][] = [
  ['line ends before the request', `\r\n\r\n${get(PING)}`, 200],
  ['HTTP/1.0', get(PING, '', 'HTTP/1.0'), 200],
  ['the whole address', get(`http://localhost${PING}`), 200],
  ['the whole address of elsewhere', get(`http://elsewhere:99999${PING}`), 200, 400],
  ['the whole address with a user', get(`http://user:pass@localhost${PING}`), 200, 400],
  ['an address without a host', get(`http://${PING}`), 200, 400, 404],
  ['an address of ftp', get(`ftp://localhost${PING}`), 400, 404],
  ['an asterisk', `OPTIONS * HTTP/1.1\r\n${CLOSE}\r\n`, 400, 404, 405],
  ['Expect: 100-continue', get(PING, `${CLOSE}Expect: 100-continue\r\n`), 200],
  [
    'Expect, with a body',
    `${get(PING, `${CLOSE}Expect: 100-continue\r\nContent-Length: 2\r\n`)}hi`,
    200,
  ],
  ['another Expect', get(PING, `${CLOSE}Expect: the-unexpected\r\n`), 200, 417],
  ['Upgrade', get(PING, `${HOST}Connection: upgrade, close\r\nUpgrade: h2c\r\n`), 200],
  ['Connection twice', get(PING, `${CLOSE}Connection: keep-alive\r\n`), 200],
  ['Connection: TE, close', get(PING, `${HOST}Connection: TE, close\r\nTE: trailers\r\n`), 200],
  ['headers by the hundred', get(PING, CLOSE + 'a:b\r\n'.repeat(500)), 200],
]

/** A key that must never be admitted: it appears next to another one, where few parsers look. */
function twoKeys(key: string): [name: string, bytes: string, ...statuses: number[]][] {
  const flood = 'a:b\r\n'.repeat(2_500)
  const [mine, other] = [`x-api-key: ${key}\r\n`, 'X-Api-Key: other\r\n']
  return [
    ['a second key after thousands of headers', get(LIST, CLOSE + mine + flood + other), 401, 431],
    ['a second key before thousands of headers', get(LIST, CLOSE + other + flood + mine), 401, 431],
    ['a second key in a trailer', post(CHUNKED + mine, `0\r\n${other}\r\n`), 405],
    ['a key in a trailer', `GET ${LIST} HTTP/1.1\r\n${HOST}${CHUNKED}\r\n0\r\n${mine}\r\n`, 401],
    ['a key in the target', get(`${LIST}?x-api-key=${key}&api_key=${key}`), 401],
    ['a key in a cookie', get(LIST, `${CLOSE}Cookie: x-api-key=${key}\r\n`), 401],
  ]
}

/** `key`: a valid key that no shape may ever be admitted with, hidden in a second request. */
export function rawShapes(key: string): RawShape[] {
  const hidden = get('/public/v1/sites', `${HOST}x-api-key: ${key}\r\n`)
  return named([...smuggling(hidden), ...twoKeys(key), ...MALFORMED, ...UNUSUAL])
}

/** The same for the feed, which may give any answer. `hidden`: a packet that must never be stored. */
export function rawFeedShapes(hidden: string): RawShape[] {
  return named([...smuggling(hidden), ...MALFORMED]).map((shape) => ({
    ...shape,
    bytes: shape.bytes.replace(PING, '/feed/v1/osmand').replace(LIST, '/feed/v1/positions'),
  }))
}

function named(shapes: [name: string, bytes: string, ...statuses: number[]][]): RawShape[] {
  return shapes.map(([name, bytes, ...statuses]) => ({ name, bytes, statuses }))
}

/** A valid request with some octets lost, doubled or replaced; its head always ends. */
export function mutilated(random: Random): string {
  let text = get(random.pick([PING, LIST, '/public/v1/objects/1/positions?from_time=2024-05-06']))
  for (let many = random.whole(1, 4); many > 0; many--) {
    const at = random.whole(0, text.length - 1)
    const octet = String.fromCharCode(random.pick([0, 10, 13, 32, 58, random.whole(0, 255)]))
    text = text.slice(0, at) + random.pick(['', octet, octet + text[at]]) + text.slice(at + 1)
  }
  return `${text}\r\n\r\n`
}
