import { IDS_PER_PAGE, idPages, indexInPage } from './id-pages.ts'

/** Objects with their counters in hundredths. */
export type Counted = Iterable<readonly [object: number, hundredths: number]>

/** The counter of each object, in order; 0 if it was never charged. */
export type DayCounts = Counted & {
  get(object: number): number
  /** Returns the new value of the counter. */
  add(object: number, delta: number): number
}

/**
 * The counters of a day, in pages by id. Ids of one organization are close together, so a charge touches
 * a few pages; in a `Map` the cache misses would take most of the time of a charge of many objects. A
 * page takes about 750 bytes.
 */
export function dayCounts(): DayCounts {
  const pages = idPages(() => new Float64Array(IDS_PER_PAGE))

  return {
    get: (object) => pages.find(object)?.[indexInPage(object)] ?? 0,
    add(object, delta) {
      const page = pages.of(object)
      const count = page[indexInPage(object)]! + delta
      page[indexInPage(object)] = count
      return count
    },
    *[Symbol.iterator]() {
      for (const [first, page] of pages.entries()) {
        // `entries()` would make an array for each counter.
        for (let i = 0; i < IDS_PER_PAGE; i += 1) {
          const count = page[i]!
          if (count !== 0) yield [first + i, count]
        }
      }
    },
  }
}
