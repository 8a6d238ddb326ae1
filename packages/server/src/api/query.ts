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

export function decodedOrUndefined(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
