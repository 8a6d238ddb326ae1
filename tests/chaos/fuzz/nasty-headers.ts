import type { Random } from '../../../packages/server/testing/random.ts'

type Header = [name: string, value: string]

const CODINGS = ['gzip', 'br', 'zstd', 'deflate', 'identity', '*', 'x-gzip', 'snappy', 'gzip;q=0']
const LANGUAGES = [
  'en',
  'tr',
  'de-CH',
  'es-419',
  'fr-CA',
  'pt-BR',
  'ru',
  'ar',
  'zh',
  '*',
  'xx-yy-zz',
  'i-klingon',
]
const WEIGHTS = [
  '',
  '',
  ';q=1',
  ';q=0',
  ';q=0.5',
  ';q=1.001',
  ';q=-1',
  ';q=',
  ';q=NaN',
  ' ; q = 0.3',
  ';;',
  ';v=b3',
]
const TAGS = [
  '*',
  ' * ',
  '"x"',
  'W/"x"',
  'W/"',
  '"',
  ',,,',
  '"a", W/"b"',
  'w/"x"',
  '*, "x"',
  '\u00e9',
  'W/"x" y',
]
const DATES = [
  'Sat, 29 Oct 1994 19:43:31 GMT',
  'Thu, 01 Jan 1970 00:00:00 GMT',
  'yesterday',
  '0',
  '-1',
  '99999-01-01',
]
const RANGES = [
  'bytes=0-0',
  'bytes=-1',
  'bytes=9999999999-',
  'bytes=0-,0-,0-,0-,0-',
  'items=1-2',
  'bytes=5-1',
]

/** Headers that affect an answer, with meaningless or excessive values. */
const MAKERS: ((random: Random) => Header[])[] = [
  (random) => [['Accept-Encoding', list(CODINGS, random)]],
  (random) => [['Accept-Encoding', list(CODINGS, random)]],
  (random) => [['Accept-Language', list(LANGUAGES, random)]],
  (random) => [['If-None-Match', random.pick(TAGS)]],
  (random) => [['If-Modified-Since', random.pick(DATES)]],
  (random) => [['Range', random.pick(RANGES)]],
  (random) => [
    [
      'Accept',
      random.pick(['text/html', '*/*;q=0', 'application/xml', '', ';', 'a/b'.repeat(500)]),
    ],
  ],
  (random) => [
    ['Content-Type', random.pick(['application/json', 'multipart/form-data', 'text/\u00e9'])],
  ],
  () => [['Content-Length', '0']],
  (random) => [['X-HTTP-Method-Override', random.pick(['DELETE', 'POST'])]],
  (random) => [
    ['X-Forwarded-For', random.pick(['127.0.0.1', '::1, 10.0.0.1', 'x'.repeat(2_000), "'"])],
  ],
  (random) => [
    ['X-Original-URL', random.pick(['/metrics', '/public/v1/sites', '/../../etc/passwd'])],
  ],
  (random) => [['Origin', random.pick(['null', 'https://elsewhere.example'])]],
  (random) => [['Cookie', `${'a=b; '.repeat(random.whole(1, 300))}__proto__=1`]],
  (random) => [['Upgrade', random.pick(['websocket', 'h2c', 'TLS/1.0'])]],
  (random) => [['Accept-Language', list(LANGUAGES, random).repeat(random.whole(1, 100))]],
  (random) => [['If-None-Match', 'W/"x", '.repeat(random.whole(1, 1_000))]],
  flood,
  () => [
    ['Accept-Encoding', 'gzip'],
    ['accept-encoding', 'br;q=0.1'],
    ['ACCEPT-LANGUAGE', 'tr'],
    ['Accept-Language', 'de;q=0.9'],
  ],
]

export function nastyHeaders(random: Random): Header[] {
  return random.pick(MAKERS)(random)
}

function list(items: readonly string[], random: Random): string {
  const many = random.whole(0, 4)
  return Array.from({ length: many }, () => random.pick(items) + random.pick(WEIGHTS)).join(
    random.pick([',', ', ', ' ,']),
  )
}

/** Below the server's limits, in number or in length. */
function flood(random: Random): Header[] {
  const many = random.pick([100, 500])
  return Array.from({ length: many }, (_, i): Header => [`x${i % 7}`, random.pick(['', 'y'])])
}
