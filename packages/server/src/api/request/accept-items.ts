/** One choice of a client: a value, such as `gzip` or `pt-BR`, and its parameters, such as `q=0.5`. */
export type AcceptItem = { readonly value: string; readonly parameters: readonly string[] }

/**
 * The items of an `Accept-…` header (RFC 9110, 12.4), in their order, without the spaces around the parts and
 * without empty items (RFC 9110, 5.6.1).
 */
export function acceptItems(header: string): AcceptItem[] {
  const items: AcceptItem[] = []
  for (const item of header.split(',')) {
    if (item.trim() === '') continue
    const [value = '', ...parameters] = item.split(';').map((part) => part.trim())
    items.push({ value, parameters })
  }
  return items
}
