/**
 * The parameters of a query, each with all its values in order. A value with broken percent-encoding
 * stays as it is; a reader that needs digits or a time refuses it.
 */
export type Query = ReadonlyMap<string, readonly string[]>

const NO_QUERY: Query = new Map()

export function parseQuery(search: string): Query {
  if (search === '') return NO_QUERY
  const query = new Map<string, string[]>()
  for (const pair of search.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decoded(equals === -1 ? pair : pair.slice(0, equals))
    const value = equals === -1 ? '' : decoded(pair.slice(equals + 1))
    const values = query.get(name)
    if (values === undefined) query.set(name, [value])
    else values.push(value)
  }
  return query
}

/** Whether each `%` begins an escaped octet, and the octets are UTF-8. */
export function isSoundlyEncoded(text: string): boolean {
  return !text.includes('%') || decodedOrUndefined(text) !== undefined
}

function decoded(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  return spaced.includes('%') ? (decodedOrUndefined(spaced) ?? spaced) : spaced
}

/** Text in which each `%` begins a character of UTF-8 (RFC 3629, 4). */
const SOUND = new RegExp(
  `^[^%]*(?:%(?:${[
    '[0-7]H',
    '(?:C[2-9A-F]|DH)T',
    '(?:E0%[AB]H|ED%[89]H|E[1-9A-CEF]T)T',
    '(?:F0%[9AB]H|F4%8H|F[1-3]T)TT',
  ].join('|')})[^%]*)*$`
    .replaceAll('T', '%[89AB]H')
    .replaceAll('H', '[\\dA-F]'),
  'i',
)

/** Does not let `decodeURIComponent` throw, which takes 3 µs: a query has room for 28,000 broken parts. */
export function decodedOrUndefined(text: string): string | undefined {
  return SOUND.test(text) ? decodeURIComponent(text) : undefined
}
