/**
 * Pages of what belongs to ids. These are given out one after the other, so that most places of a page are of
 * somebody, and an organization's objects lie side by side: a look at what was not asked for in a while waits
 * for memory once, where in a `Map` it does so three or four times. The price: an id that is alone among its
 * neighbours takes a page.
 */
export type IdPages<Page> = {
  find(id: number): Page | undefined
  /** Made where there is none yet. */
  of(id: number): Page
  entries(): Iterable<readonly [firstId: number, page: Page]>
}

export const IDS_PER_PAGE = 64

/** Which of its page's places is an id's. */
export function placeOf(id: number): number {
  return id % IDS_PER_PAGE
}

export function idPages<Page>(make: () => Page): IdPages<Page> {
  const pages = new Map<number, Page>()
  // Neighbours are asked for one after the other.
  let lastFirst = -1
  let last: Page | undefined

  function find(id: number): Page | undefined {
    const first = id - placeOf(id)
    if (first === lastFirst) return last
    const page = pages.get(first)
    if (page !== undefined) {
      lastFirst = first
      last = page
    }
    return page
  }

  function add(id: number): Page {
    const page = make()
    pages.set(id - placeOf(id), page)
    return page
  }

  return { find, of: (id) => find(id) ?? add(id), entries: () => pages }
}
