/**
 * Values by id. Ids are given out one after the other, so they lie in pages of neighbours: a look at one that
 * was not asked for in a while waits for memory once, where in a `Map` it does so three or four times.
 */
export type IdMap<Value> = {
  get(id: number): Value | undefined
  set(id: number, value: Value): void
  delete(id: number): void
  entries(): Iterable<readonly [id: number, value: Value]>
}

const IDS_PER_PAGE = 64

export function idMap<Value>(): IdMap<Value> {
  const pages = new Map<number, (Value | undefined)[]>()

  return {
    get: (id) => pages.get(Math.floor(id / IDS_PER_PAGE))?.[id % IDS_PER_PAGE],
    set(id, value) {
      const number = Math.floor(id / IDS_PER_PAGE)
      let page = pages.get(number)
      if (page === undefined) {
        page = new Array<Value | undefined>(IDS_PER_PAGE).fill(undefined)
        pages.set(number, page)
      }
      page[id % IDS_PER_PAGE] = value
    },
    delete(id) {
      const page = pages.get(Math.floor(id / IDS_PER_PAGE))
      if (page !== undefined) page[id % IDS_PER_PAGE] = undefined
    },
    *entries() {
      for (const [number, page] of pages) {
        for (const [at, value] of page.entries()) {
          if (value !== undefined) yield [number * IDS_PER_PAGE + at, value]
        }
      }
    },
  }
}
