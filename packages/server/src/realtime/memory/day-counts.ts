/** Objects with their counters. */
export type Counted = Iterable<readonly [object: number, count: number]>

/** Of each object, how often something was counted; of whatever was never counted, 0. */
export type DayCounts = Counted & {
  get(object: number): number
  /** What the counter is then. */
  add(object: number, delta: number): number
}

/** Ids are given out one after the other, so an organization's lie side by side. */
const IDS_PER_PAGE = 64

/**
 * Counters in pages by id, of which a charge of an organization's objects touches a few: in a `Map` each
 * lies somewhere else in memory, which for many objects is what a charge takes longest for. The price: an object
 * that is counted alone among its neighbours takes a page, some 500 bytes.
 */
export function dayCounts(): DayCounts {
  const pages = new Map<number, Int32Array>()
  let lastNumber = -1
  let lastPage: Int32Array = new Int32Array(0)

  function pageOf(number: number): Int32Array | undefined {
    if (number === lastNumber) return lastPage
    const page = pages.get(number)
    if (page !== undefined) {
      lastNumber = number
      lastPage = page
    }
    return page
  }

  function newPage(number: number): Int32Array {
    const page = new Int32Array(IDS_PER_PAGE)
    pages.set(number, page)
    return page
  }

  return {
    get: (object) => pageOf(Math.floor(object / IDS_PER_PAGE))?.[object % IDS_PER_PAGE] ?? 0,
    add(object, delta) {
      const number = Math.floor(object / IDS_PER_PAGE)
      const page = pageOf(number) ?? newPage(number)
      const count = page[object % IDS_PER_PAGE]! + delta
      page[object % IDS_PER_PAGE] = count
      return count
    },
    *[Symbol.iterator]() {
      for (const [number, page] of pages) {
        // Not by `entries()`, which makes an array for each of them.
        for (let i = 0; i < IDS_PER_PAGE; i += 1) {
          const count = page[i]!
          if (count !== 0) yield [number * IDS_PER_PAGE + i, count]
        }
      }
    },
  }
}
