/** One choice of a client: a value, such as `gzip` or `pt-BR`, and its parameters, such as `q=0.5`. */
export type AcceptItem = { readonly value: string; readonly parameters: readonly string[] }

/** The most items of a header that count. The lists of browsers and libraries have at most twenty. */
export const MAX_ITEMS = 100
/** The most parameters of an item that count. */
const MAX_PARAMETERS = 10

/**
 * The items of an `Accept-…` header (RFC 9110, 12.4), in their order, without the spaces around the parts and
 * without empty items (RFC 9110, 5.6.1). A header may have thousands, so those after the first `MAX_ITEMS` are not
 * read.
 */
export function acceptItems(header: string): AcceptItem[] {
  const items: AcceptItem[] = []
  for (const item of header.split(',', MAX_ITEMS)) {
    if (item.trim() === '') continue
    const [value = '', ...parameters] = item
      .split(';', 1 + MAX_PARAMETERS)
      .map((part) => part.trim())
    items.push({ value, parameters })
  }
  return items
}
