/** Ids that the API accepts in one request. */
const MAX_IDS = 1_000
/**
 * Characters of a list of ids. With it, a request line stays below the 8 KiB that proxies accept by
 * default.
 */
const MAX_CHARACTERS = 7_500

/** The distinct ids in their order, as lists for one request each: `3,1,2`. */
export function splitIds(ids: Iterable<number>): string[] {
  const lists: string[] = []
  let list = ''
  let count = 0
  for (const id of new Set(ids)) {
    const text = String(id)
    if (count === MAX_IDS || list.length + 1 + text.length > MAX_CHARACTERS) {
      lists.push(list)
      list = ''
      count = 0
    }
    list += count === 0 ? text : `,${text}`
    count += 1
  }
  if (count > 0) lists.push(list)
  return lists
}
