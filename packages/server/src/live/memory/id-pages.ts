/**
 * Values by id, in pages of neighbouring ids. Ids are given out in order, so most places of a page are in
 * use and an organization's objects lie side by side. A look-up of cold data waits for memory once; in a
 * `Map` it waits three or four times. The price: an id without neighbours takes a whole page.
 */
type IdPages<Page> = {
  find(id: number): Page | undefined
  /** Creates the page if there is none. */
  of(id: number): Page
  entries(): Iterable<readonly [firstId: number, page: Page]>
}

export const IDS_PER_PAGE = 64

/** The index of an id in its page. */
export function indexInPage(id: number): number {
  return id % IDS_PER_PAGE
}

export function idPages<Page>(make: () => Page): IdPages<Page> {
  const pages = new Map<number, Page>()
  // Keeps the last page, because callers ask for neighbours one after the other.
  let lastFirst = -1
  let last: Page | undefined

  function find(id: number): Page | undefined {
    const first = id - indexInPage(id)
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
    pages.set(id - indexInPage(id), page)
    return page
  }

  return { find, of: (id) => find(id) ?? add(id), entries: () => pages }
}
