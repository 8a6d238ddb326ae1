/** Ids that the API takes in one request. */
const MOST_IDS = 1_000
/** Characters of a list of ids: with it, a request line is below the 8 KiB that proxies take unless told. */
const MOST_CHARACTERS = 7_500

/** The ids in their order, each once, as lists that one request takes: `3,1,2`. */
export function splitIds(ids: Iterable<number>): string[] {
  const lists: string[] = []
  let list = ''
  let count = 0
  for (const id of new Set(ids)) {
    const text = String(id)
    if (count === MOST_IDS || list.length + 1 + text.length > MOST_CHARACTERS) {
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
