import type { Random } from '../../../packages/server/testing/random.ts'

type Make = (random: Random) => string

const one =
  (...values: string[]): Make =>
  (random) =>
    random.pick(values)

/** Values of attackers and broken clients in a path or a query, escaped for a target. */
const NASTY: Make[] = [
  one(
    '%27',
    "'",
    "'--",
    '%22',
    "1'%20OR%20'1'='1",
    '1;DROP%20TABLE%20objects;--',
    '1/**/UNION/**/',
  ),
  one(
    '1)%20OR%20(1=1',
    '0%20UNION%20SELECT%20hash%20FROM%20keys--',
    '%25%27',
    '1%00',
    "\\'",
    '$1',
    '?1',
  ),
  one('%', '%%', '%2', '%zz', '%u0031', '%25', '%2525', '1%', '%E0%A4', '%f0%9f%9a', '%', '%1'),
  one(
    '%ff',
    '%c0%ae',
    '%c0%80',
    '%ed%a0%80',
    '%ed%b0%80',
    '%f4%90%80%80',
    '%80',
    '%fe%ff',
    '%c3%28',
  ),
  one(
    '%F0%9F%9A%9A',
    '%D9%A1',
    '%EF%BC%91',
    '%C2%B2',
    '%E2%80%AE1',
    '%EF%BB%BF1',
    '1%CC%81',
    '%E2%80%8B1',
  ),
  one(
    '%00',
    '%0d%0aX-Injected:%201',
    '%0a',
    '%09',
    '%1b[2J',
    '%7f',
    '%08',
    '%0d%0a%0d%0aHTTP/1.1%20200',
  ),
  one(
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '9223372036854775807',
    '18446744073709551616',
  ),
  one(
    '-1',
    '-0',
    '-9223372036854775808',
    '+1',
    '%2B1',
    '1.5',
    '1.0',
    '1e3',
    '1E400',
    '.5',
    '1.',
    '1,5',
  ),
  one(
    '0x10',
    '0b1',
    '0o7',
    '1_000',
    '1n',
    'NaN',
    'Infinity',
    '-Infinity',
    'true',
    'null',
    'undefined',
  ),
  one(
    '0',
    '00',
    '01',
    '000000000000000000000000000001',
    '2147483648',
    '4294967297',
    '%31',
    '1%20',
    '%201',
  ),
  one(
    '',
    '%20',
    '+',
    '%C2%A0',
    '.',
    '..',
    '../../..',
    '%2e%2e%2f',
    '%2F',
    '%5c',
    '~',
    '*',
    '{id}',
    ':id',
  ),
  one(
    '[]',
    '{}',
    '%5B1%5D',
    '%7B%22$gt%22:0%7D',
    '[object%20Object]',
    '__proto__',
    'constructor',
    'toString',
  ),
  one(
    '$%7B7*7%7D',
    '%24%7Bjndi:ldap://x%7D',
    '<script>',
    '%3Csvg%20onload=1%3E',
    '|id',
    '`id`',
    ';id',
    '{{7*7}}',
  ),
  one(
    '2024-02-30',
    '2023-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-01-00',
    '0000-01-01',
    '0000-00-00',
  ),
  one(
    '2024-05-06T24:00Z',
    '2024-05-06T23:60Z',
    '2024-05-06T10:00:60Z',
    '2024-05-06T10:00:00.Z',
    '2024-5-6',
  ),
  one(
    '2024-05-06T10:00:00+24:00',
    '2024-05-06T10:00:00%2B03:00',
    '2024-05-06T10:00-0500',
    '2024-05-06T1000',
  ),
  one(
    '20240506',
    '2024-05-06T08',
    '2024-05-06%2008:00',
    '2024-05-06t08:00z',
    '1714982400',
    '1714982400000',
  ),
  one(
    '2024-W19-1',
    '2024-127',
    '+002024-05-06',
    '-000001-01-01',
    '10000-01-01',
    '9999-12-31T23:59:59.999Z',
  ),
  one(
    '1969-12-31T23:59:59.999Z',
    '1970-01-01',
    '9999-12-31T23:59:59-23:59',
    '0001-01-01T00:00+23:59',
    'now',
  ),
  one(
    '2024-05-06T08:00:00.0000000000000000000000000001Z',
    '2024-05-06T08:00:00,5Z',
    'Mon,%2006%20May%202024',
  ),
  (random) =>
    random
      .pick(['9', '0', '1', 'a', '%2C', ',', '%00', '%F0%9F%9A%9A', '%'])
      .repeat(random.whole(2, random.pick([50, 50, 1_500]))),
  (random) => `${random.whole(-5, 5)}`,
  (random) => `${Math.floor(random.next() * 2 ** random.whole(1, 70))}`,
  (random) => octets(random),
]

export function nastyValue(random: Random): string {
  return random.pick(NASTY)(random)
}

/** Random octets, escaped: sometimes UTF-8, mostly not. */
function octets(random: Random): string {
  const many = random.whole(1, 8)
  return Array.from({ length: many }, () => `%${hex(random.whole(0, 255))}`).join('')
}

/** Drops, doubles or replaces one character of a valid value. */
export function spoilt(value: string, random: Random): string {
  const at = random.whole(0, Math.max(0, value.length - 1))
  const [head, tail] = [value.slice(0, at), value.slice(at + 1)]
  switch (random.whole(0, 3)) {
    case 0:
      return head + tail
    case 1:
      return head + value.slice(at, at + 1).repeat(2) + tail
    case 2:
      return `${head}%${hex(random.whole(0, 255))}${tail}`
    default:
      return head + random.pick(['-', '.', 'T', ':', '9', ',', '%2B', "'", 'Z']) + tail
  }
}

function hex(octet: number): string {
  return octet.toString(16).padStart(2, '0')
}
